package local

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	// validity of the certificates of server and administrator; keepValid renews them.
	validity = 365 * 24 * time.Hour
	// authorityValidity is that of the authority's certificate, which a start renews for the same key.
	authorityValidity = 10 * validity
	// renewalPeriod is the interval at which a running control plane looks at its certificates.
	renewalPeriod = 12 * time.Hour
)

// A pki is the directory with the keys of one control plane:
//
//	ca.crt  ca.key                                    its own authority, for servers and clients
//	serving.crt  serving.key                          the API server on 127.0.0.1, ::1 and localhost
//	admin.crt  admin.key                              the administrator, group system:masters
//	service-account.key                               signs and verifies service account tokens
//	front-proxy-ca.crt  front-proxy-ca.key            the authority of the aggregator, for nothing else
//	front-proxy-client.crt  front-proxy-client.key    the aggregator, which names the user of a request to an aggregated API server
type pki string

func (p pki) file(name string) string { return filepath.Join(string(p), name) }

// ensurePKI makes the keys of a control plane unless they are there, and renews old certificates. New keys appear all at once, so a process
// killed meanwhile leaves nothing half made behind that a later start would take for whole.
func ensurePKI(dir, name string) (pki, error) {
	_, err := os.Stat(dir)
	if err == nil {
		_, err := pki(dir).renew(name, time.Now())
		return pki(dir), err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("looking for keys: %w", err)
	}
	unfinished := dir + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		return "", fmt.Errorf("removing unfinished keys: %w", err)
	}
	if err := pki(unfinished).create(name); err != nil {
		return "", fmt.Errorf("making keys: %w", err)
	}
	if err := os.Rename(unfinished, dir); err != nil {
		return "", fmt.Errorf("putting keys in place: %w", err)
	}
	return pki(dir), nil
}

func (p pki) create(name string) error {
	if err := os.Mkdir(string(p), 0o700); err != nil {
		return err
	}
	for _, key := range []string{"ca", frontProxyCA, "service-account"} {
		if _, err := p.newKey(key); err != nil {
			return err
		}
	}
	_, err := p.renew(name, time.Now())
	return err
}

const (
	frontProxyCA     = "front-proxy-ca"
	frontProxyClient = "front-proxy-client" // also the only name that aggregated API servers accept
)

// templates returns the certificates that each authority signs.
func templates(name string) map[string]map[string]*x509.Certificate {
	return map[string]map[string]*x509.Certificate{
		"ca": {
			"serving": {
				Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
				KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
			},
			"admin": {
				Subject:  pkix.Name{CommonName: name + "-admin", Organization: []string{"system:masters"}},
				KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
			},
		},
		frontProxyCA: {
			frontProxyClient: {
				Subject:  pkix.Name{CommonName: frontProxyClient},
				KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
			},
		},
	}
}

// An issuer is a certificate with its key.
type issuer struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// sign writes the certificate of key as name.crt, signed by the authority, or by itself if that is nil.
func (p pki) sign(name string, key *ecdsa.PrivateKey, by *issuer, c *x509.Certificate, now time.Time, valid time.Duration) (*issuer, error) {
	c.NotBefore = now.Add(-time.Hour) // clocks of containers and hosts differ
	c.NotAfter = c.NotBefore.Add(valid)
	if by == nil {
		by = &issuer{c, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by.certificate, key.Public(), by.key)
	if err != nil {
		return nil, fmt.Errorf("signing %s: %w", name, err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("reading back %s: %w", name, err)
	}
	return &issuer{c, key}, p.write(name+".crt", "CERTIFICATE", der)
}

func (p pki) newKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making key %s: %w", name, err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding key %s: %w", name, err)
	}
	return key, p.write(name+".key", "EC PRIVATE KEY", der)
}

func (p pki) write(name, kind string, der []byte) error {
	if err := writeFile(p.file(name+".new"), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})); err != nil {
		return err
	}
	return os.Rename(p.file(name+".new"), p.file(name))
}
