package local

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// certificate reads one of the pki's certificates, whose key has to belong to it.
func certificate(t *testing.T, p pki, name string) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(p.file(name+".crt"), p.file(name+".key"))
	require.NoError(t, err)
	return pair.Leaf
}

func TestPKI(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	require.NoError(t, os.MkdirAll(dir+".new/half-made", 0o700)) // a killed process left it
	p, err := ensurePKI(dir, "hub")
	require.NoError(t, err)
	require.NoDirExists(t, dir+".new")

	ca := x509.NewCertPool()
	ca.AddCert(certificate(t, p, "ca"))
	_, err = certificate(t, p, "serving").Verify(x509.VerifyOptions{Roots: ca, DNSName: "localhost"})
	require.NoError(t, err)
	_, err = certificate(t, p, "serving").Verify(x509.VerifyOptions{Roots: ca, DNSName: "127.0.0.1"})
	require.NoError(t, err)
	admin := certificate(t, p, "admin")
	_, err = admin.Verify(x509.VerifyOptions{Roots: ca, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	require.NoError(t, err)
	require.Equal(t, "hub-admin", admin.Subject.CommonName)
	require.Equal(t, []string{"system:masters"}, admin.Subject.Organization)

	proxies := x509.NewCertPool()
	proxies.AddCert(certificate(t, p, frontProxyCA))
	for roots, accepted := range map[*x509.CertPool]bool{proxies: true, ca: false} {
		_, err = certificate(t, p, frontProxyClient).Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
		require.Equal(t, accepted, err == nil, "only the front proxy's authority vouches for the front proxy")
	}

	before := certificate(t, p, "ca").SerialNumber
	again, err := ensurePKI(dir, "hub")
	require.NoError(t, err)
	require.Equal(t, before, certificate(t, again, "ca").SerialNumber, "existing keys were replaced")
}
