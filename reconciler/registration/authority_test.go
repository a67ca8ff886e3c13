package registration

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/client-go/util/cert"
	"k8s.io/utils/ptr"
)

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

func TestAuthoritySignsAgentsOnly(t *testing.T) {
	now := time.Now()
	caKey, agentKey := newKey(t), newKey(t)
	ca, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "hub"}, caKey)
	require.NoError(t, err)
	authority := Authority(func() (*x509.Certificate, crypto.Signer, error) { return ca, caKey, nil })
	spec := func(subject pkix.Name) *certificatesv1.CertificateSigningRequestSpec {
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject}, agentKey)
		require.NoError(t, err)
		return &certificatesv1.CertificateSigningRequestSpec{
			Request: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:            []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth, certificatesv1.UsageDigitalSignature},
			ExpirationSeconds: ptr.To[int32](7200),
		}
	}
	text, err := authority.sign(spec(pkix.Name{CommonName: "system:accord:agent:eu-1:abcdefgh23", Organization: []string{"system:accord:agents"}}), now)
	require.NoError(t, err)
	signed, err := cert.ParseCertsPEM(text)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	_, err = signed[0].Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	require.NoError(t, err)
	require.True(t, agentKey.PublicKey.Equal(signed[0].PublicKey))
	require.Equal(t, "CN=system:accord:agent:eu-1:abcdefgh23,O=system:accord:agents", signed[0].Subject.String())
	require.WithinDuration(t, now.Add(2*time.Hour), signed[0].NotAfter, time.Second)
	require.Equal(t, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, signed[0].ExtKeyUsage)

	ca.NotAfter = now.Add(time.Hour)
	text, err = authority.sign(spec(signed[0].Subject), now)
	require.NoError(t, err)
	signed, err = cert.ParseCertsPEM(text)
	require.NoError(t, err)
	require.WithinDuration(t, ca.NotAfter, signed[0].NotAfter, time.Second, "no certificate outlives its authority")

	_, err = authority.sign(spec(pkix.Name{CommonName: "kubernetes-admin", Organization: []string{"system:masters"}}), now)
	require.ErrorContains(t, err, "the common name is", "an administrator may approve it; accord does not sign it")
}
