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

// validity of all certificates: they are made once for a data directory and never leave the machine, and a
// control plane whose certificates run out cannot even be asked to renew them.
const validity = 10 * 365 * 24 * time.Hour

// A pki is the directory with the keys of one control plane:
//
//	ca.crt  ca.key              its own authority, for servers and clients
//	serving.crt  serving.key    the API server on 127.0.0.1, ::1 and localhost
//	admin.crt  admin.key        the administrator, group system:masters
//	service-account.key         signs and verifies service account tokens
type pki string

func (p pki) file(name string) string { return filepath.Join(string(p), name) }

// ensurePKI makes the keys of a control plane unless they are there. They appear all at once, so a process
// killed meanwhile leaves nothing half made behind that a later start would take for whole.
func ensurePKI(dir, name string) (pki, error) {
	_, err := os.Stat(dir)
	if err == nil {
		return pki(dir), nil
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
	ca, err := p.issue("ca", nil, &x509.Certificate{
		Subject: pkix.Name{CommonName: name + "-ca"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
	if err != nil {
		return err
	}
	_, err = p.issue("serving", ca, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return err
	}
	_, err = p.issue("admin", ca, &x509.Certificate{
		Subject:  pkix.Name{CommonName: name + "-admin", Organization: []string{"system:masters"}},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return err
	}
	_, err = p.newKey("service-account")
	return err
}

// An issuer is a certificate with its key.
type issuer struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// issue writes name.key and name.crt, signed by the authority, or by itself if that is nil.
func (p pki) issue(name string, by *issuer, c *x509.Certificate) (*issuer, error) {
	key, err := p.newKey(name)
	if err != nil {
		return nil, err
	}
	c.NotBefore = time.Now().Add(-time.Hour) // clocks of containers and hosts differ
	c.NotAfter = c.NotBefore.Add(validity)
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
	return writeFile(p.file(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
