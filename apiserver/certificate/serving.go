package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// servingValidity of a serving certificate, which Renew replaces in its last third.
const servingValidity = 90 * 24 * time.Hour

// Serving is the serving certificate of one replica. It is safe for concurrent use.
type Serving struct {
	host string

	mu               sync.Mutex
	leaf             *x509.Certificate
	certificate, key []byte
	signer           []byte // PEM of the authority
	listeners        []dynamiccertificates.Listener
}

var _ dynamiccertificates.CertKeyContentProvider = (*Serving)(nil)

// NewServing returns a certificate for the name of a host, to be filled by Renew.
func NewServing(host string) *Serving { return &Serving{host: host} }

// Renew replaces the certificate in the last third of its time, and if another authority signs. It reports whether it did.
func (s *Serving) Renew(by *Authority, now time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaf != nil && !old(s.leaf, now) && bytes.Equal(s.signer, by.pem) {
		return false, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return false, err
	}
	encoded, err := encode(key)
	if err != nil {
		return false, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: s.host}, DNSNames: []string{s.host},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := sign(template, by.certificate, key.Public(), by.key, now, servingValidity)
	if err != nil {
		return false, err
	}
	if s.leaf, err = x509.ParseCertificate(der); err != nil {
		return false, err
	}
	s.certificate, s.key, s.signer = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), encoded, by.pem
	for _, l := range s.listeners {
		l.Enqueue()
	}
	return true, nil
}

// Name implements dynamiccertificates.CertKeyContentProvider.
func (s *Serving) Name() string { return "serving certificate for " + s.host }

// CurrentCertKeyContent implements dynamiccertificates.CertKeyContentProvider.
func (s *Serving) CurrentCertKeyContent() (certificate, key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.certificate, s.key
}

// AddListener implements dynamiccertificates.Notifier.
func (s *Serving) AddListener(l dynamiccertificates.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, l)
}
