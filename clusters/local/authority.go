package local

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// ClientAuthority returns the certificate and the key of the authority whose client certificates the API server accepts. It reads
// the files each time, because the certificate is renewed.
func (c *ControlPlane) ClientAuthority() (*x509.Certificate, crypto.Signer, error) {
	pair, err := tls.LoadX509KeyPair(c.keys.file("ca.crt"), c.keys.file("ca.key"))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the authority of the hub: %w", err)
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, nil, errors.New("reading the authority of the hub: its key cannot sign")
	}
	return pair.Leaf, key, nil
}
