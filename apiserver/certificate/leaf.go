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

const (
	// leafValidity of a certificate of a replica, which Renew replaces in its last third.
	leafValidity = 90 * 24 * time.Hour
	// Replica is the name in the certificate by which a replica proves itself to the others.
	Replica = "system:accord:replica"
)

// Leaf is a certificate of one replica, in its memory. It is safe for concurrent use.
type Leaf struct {
	template x509.Certificate

	mu               sync.Mutex
	leaf             *x509.Certificate
	certificate, key []byte
	signer           []byte // PEM of the authority
	listeners        []dynamiccertificates.Listener
}

var _ dynamiccertificates.CertKeyContentProvider = (*Leaf)(nil)

// NewServing returns the certificate of a server with the name of a host, to be filled by Renew.
func NewServing(host string) *Leaf {
	return &Leaf{template: x509.Certificate{
		Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}}
}

// NewReplica returns the certificate by which a replica proves itself to the others, to be filled by Renew.
func NewReplica() *Leaf {
	return &Leaf{template: x509.Certificate{Subject: pkix.Name{CommonName: Replica}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}}
}

// Renew replaces the certificate in the last third of its time, and if another authority signs. It reports whether it did.
func (l *Leaf) Renew(by *Authority, now time.Time) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leaf != nil && !old(l.leaf, now) && bytes.Equal(l.signer, by.pem) {
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
	template := l.template
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := sign(&template, by.certificate, key.Public(), by.key, now, leafValidity)
	if err != nil {
		return false, err
	}
	if l.leaf, err = x509.ParseCertificate(der); err != nil {
		return false, err
	}
	l.certificate, l.key, l.signer = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), encoded, by.pem
	for _, listener := range l.listeners {
		listener.Enqueue()
	}
	return true, nil
}

// Name implements dynamiccertificates.CertKeyContentProvider.
func (l *Leaf) Name() string { return "certificate of " + l.template.Subject.CommonName }

// CurrentCertKeyContent implements dynamiccertificates.CertKeyContentProvider.
func (l *Leaf) CurrentCertKeyContent() (certificate, key []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.certificate, l.key
}

// AddListener implements dynamiccertificates.Notifier.
func (l *Leaf) AddListener(listener dynamiccertificates.Listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, listener)
}
