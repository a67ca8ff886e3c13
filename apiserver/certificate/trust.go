package certificate

import (
	"crypto/x509"
	"errors"
	"net/http"
	"sync"

	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// Trust verifies the certificates of replicas by the current authority. Before Set it trusts nobody. It is safe for concurrent use.
type Trust struct {
	mu        sync.Mutex
	pem       []byte
	roots     *x509.CertPool
	listeners []dynamiccertificates.Listener
}

var _ dynamiccertificates.CAContentProvider = (*Trust)(nil)

// Set makes an authority the current one.
func (t *Trust) Set(a *Authority) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pem, t.roots = a.pem, x509.NewCertPool()
	t.roots.AddCert(a.certificate)
	for _, l := range t.listeners {
		l.Enqueue()
	}
}

// Roots returns the authority to verify the servers of other replicas; nobody's before Set.
func (t *Trust) Roots() *x509.CertPool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.roots == nil {
		return x509.NewCertPool()
	}
	return t.roots
}

// CheckReplica returns an error if the client of a request is not a replica of accord. The certificate of a server is not enough.
func (t *Trust) CheckReplica(r *http.Request) error {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return errors.New("the client has no certificate")
	}
	leaf := r.TLS.PeerCertificates[0]
	options, _ := t.VerifyOptions()
	if _, err := leaf.Verify(options); err != nil {
		return err
	}
	if leaf.Subject.CommonName != Replica {
		return errors.New("the certificate of the client is not that of a replica")
	}
	return nil
}

// Name implements dynamiccertificates.CAContentProvider.
func (*Trust) Name() string { return "authority of the replicas" }

// CurrentCABundleContent implements dynamiccertificates.CAContentProvider.
func (t *Trust) CurrentCABundleContent() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pem
}

// VerifyOptions implements dynamiccertificates.CAContentProvider. They are those of a client.
func (t *Trust) VerifyOptions() (x509.VerifyOptions, bool) {
	return x509.VerifyOptions{Roots: t.Roots(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, true
}

// AddListener implements dynamiccertificates.Notifier.
func (t *Trust) AddListener(l dynamiccertificates.Listener) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listeners = append(t.listeners, l)
}
