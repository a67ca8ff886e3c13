package registration

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

// An Authority returns the certificate and the key that sign client certificates of the hub. It is nil on a hub whose
// kube-controller-manager signs them.
type Authority func() (*x509.Certificate, crypto.Signer, error)

// backdate is the time by which a certificate begins earlier, because clocks differ.
const backdate = 5 * time.Minute

// sign returns the certificate for an approved request of an agent, as PEM. Only the key comes from the request.
func (a Authority) sign(spec *certificatesv1.CertificateSigningRequestSpec, now time.Time) ([]byte, error) {
	form, err := request.Parse(spec)
	if err != nil {
		return nil, err
	}
	ca, key, err := a()
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	usage := x509.KeyUsageDigitalSignature
	if _, encrypts := form.Key.(*rsa.PublicKey); encrypts {
		usage |= x509.KeyUsageKeyEncipherment
	}
	ends := now.Add(time.Duration(*spec.ExpirationSeconds) * time.Second)
	if ca.NotAfter.Before(ends) {
		ends = ca.NotAfter
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: form.User, Organization: []string{delivery.AgentsGroup}},
		NotBefore: now.Add(-backdate), NotAfter: ends, KeyUsage: usage, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}, ca, form.Key, key)
	if err != nil {
		return nil, fmt.Errorf("signing the certificate of the agent of cluster %s: %w", form.Cluster, err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}
