package agent

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/keyutil"
)

// certified returns a self-signed client certificate with its key, as PEM.
func certified(t *testing.T, name string, from, to time.Time) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	text, err := keyutil.MarshalPrivateKeyToPEM(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), text
}

func TestDue(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	certificate := &x509.Certificate{NotBefore: noon, NotAfter: noon.Add(10 * time.Hour)}
	require.False(t, due(certificate, noon))
	require.False(t, due(certificate, noon.Add(8*time.Hour)))
	require.True(t, due(certificate, noon.Add(8*time.Hour+time.Second)))
	require.True(t, due(certificate, noon.Add(11*time.Hour)))
}

// Requests after a renewal have the new certificate.
func TestARenewedCertificateIsUsed(t *testing.T) {
	var seen []string
	hub := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	hub.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	hub.StartTLS()
	defer hub.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hub.Certificate().Raw})
	now := time.Now()
	certificate, key := certified(t, "first", now.Add(-time.Hour), now.Add(time.Hour))
	i, cfg, err := newIdentity(&rest.Config{Host: hub.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca, CertData: certificate, KeyData: key}})
	require.NoError(t, err)
	client, err := rest.HTTPClientFor(cfg)
	require.NoError(t, err)
	get := func() {
		answer, err := client.Get(hub.URL)
		require.NoError(t, err)
		discard(answer.Body)
	}
	get()
	next, err := pair(certified(t, "second", now.Add(-time.Minute), now.Add(time.Hour)))
	require.NoError(t, err)
	i.use(next)
	get()
	require.Equal(t, []string{"first", "second"}, seen)
}

func TestAConnectionWithoutACertificate(t *testing.T) {
	cfg := &rest.Config{Host: "https://hub.example", BearerToken: "x"}
	i, same, err := newIdentity(cfg)
	require.NoError(t, err)
	require.Nil(t, i)
	require.Same(t, cfg, same)
}
