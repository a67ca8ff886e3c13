package local

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"time"
)

// renew replaces each certificate that is missing, damaged, or in the last third of its time; the authority keeps its key, so
// that its older certificates stay valid. It reports whether it replaced one. The running API server reads its files again.
func (p pki) renew(name string, now time.Time) (renewed bool, err error) {
	for authority, signed := range templates(name) {
		ca, err := p.authority(authority, name, now)
		if err != nil {
			return renewed, err
		}
		for file, template := range signed {
			if current := p.read(file); current != nil && !old(current, now) && current.CheckSignatureFrom(ca.certificate) == nil {
				continue
			}
			key, err := p.newKey(file)
			if err != nil {
				return renewed, err
			}
			if _, err := p.sign(file, key, ca, template, now, validity); err != nil {
				return renewed, err
			}
			renewed = true
		}
	}
	return renewed, nil
}

// authority returns one of the authorities of the named control plane, with a new certificate if the current one is old.
func (p pki) authority(authority, name string, now time.Time) (*issuer, error) {
	path := p.file(authority + ".key")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the key of the authority: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is not a key", path)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if current := p.read(authority); current != nil && !old(current, now) {
		return &issuer{current, key}, nil
	}
	return p.sign(authority, key, nil, authorityTemplate(name+"-"+authority), now, authorityValidity)
}

// read returns a certificate, and nil if none can be read that belongs to its key.
func (p pki) read(name string) *x509.Certificate {
	pair, err := tls.LoadX509KeyPair(p.file(name+".crt"), p.file(name+".key"))
	if err != nil {
		return nil
	}
	return pair.Leaf
}

// old reports whether a certificate is in the last third of its time.
func old(c *x509.Certificate, now time.Time) bool {
	return c.NotAfter.Sub(now) < c.NotAfter.Sub(c.NotBefore)/3
}

// authorityTemplate returns the certificate of an authority.
func authorityTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
}

// keepValid renews the certificates of a running control plane until the context ends.
func (p pki) keepValid(ctx context.Context, name string, to access, log *slog.Logger) {
	tick := time.NewTicker(renewalPeriod)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		renewed, err := p.renew(name, time.Now())
		if renewed && err == nil {
			err = to.writeKubeconfig()
		}
		if err != nil {
			log.Warn("the certificates of the hub cannot be renewed", "err", err)
		} else if renewed {
			log.Info("renewed the certificates of the hub")
		}
	}
}
