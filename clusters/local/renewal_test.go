package local

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCertificatesAreRenewed(t *testing.T) {
	p, err := ensurePKI(filepath.Join(t.TempDir(), "pki"), "hub")
	require.NoError(t, err)
	ca, serving, admin := certificate(t, p, "ca"), certificate(t, p, "serving"), certificate(t, p, "admin")
	require.Less(t, time.Until(serving.NotAfter), 366*24*time.Hour)

	renewed, err := p.renew("hub", time.Now().Add(validity/2))
	require.NoError(t, err)
	require.False(t, renewed)

	later := time.Now().Add(validity * 3 / 4)
	renewed, err = p.renew("hub", later)
	require.NoError(t, err)
	require.True(t, renewed)
	require.NotEqual(t, serving.SerialNumber, certificate(t, p, "serving").SerialNumber)
	require.NotEqual(t, admin.PublicKey, certificate(t, p, "admin").PublicKey, "the key is new, too")
	require.Equal(t, ca.SerialNumber, certificate(t, p, "ca").SerialNumber)

	later = time.Now().Add(authorityValidity * 3 / 4)
	_, err = p.renew("hub", later)
	require.NoError(t, err)
	require.NotEqual(t, ca.SerialNumber, certificate(t, p, "ca").SerialNumber)
	require.Equal(t, ca.PublicKey, certificate(t, p, "ca").PublicKey, "clients of the old certificate would lose the hub")
	for _, authority := range []*x509.Certificate{ca, certificate(t, p, "ca")} {
		roots := x509.NewCertPool()
		roots.AddCert(authority)
		_, err = certificate(t, p, "serving").Verify(x509.VerifyOptions{Roots: roots, DNSName: "localhost", CurrentTime: later})
		require.NoError(t, err)
	}

	require.NoError(t, os.WriteFile(p.file("serving.crt"), nil, 0o600)) // as after a loss of power
	renewed, err = p.renew("hub", later)
	require.NoError(t, err)
	require.True(t, renewed)
	certificate(t, p, "serving")
}
