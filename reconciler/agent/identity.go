package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/reconciler/registration/request"
)

const (
	// renewalCheck is the time between two looks at the certificate, which is renewed when less than a fifth of its life is left
	// (Karmada 10.4).
	renewalCheck = 5 * time.Minute
	renewalShare = 5
	// signTime bounds the time that the agent waits for a certificate, signPoll is the time between two looks at the request.
	signTime = 2 * time.Minute
	signPoll = 2 * time.Second
)

// identity is the client certificate of the agent. Connections that begin after a renewal use the new one.
type identity struct {
	transport *http.Transport

	mu      sync.Mutex
	current *tls.Certificate
}

// newIdentity returns the identity in a connection, and the connection that follows its renewals. The identity is nil if the connection
// has no client certificate.
func newIdentity(cfg *rest.Config) (*identity, *rest.Config, error) {
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return nil, nil, err
	}
	if len(cfg.CertData) == 0 {
		return nil, cfg, nil
	}
	secure, err := rest.TLSConfigFor(cfg)
	if err != nil {
		return nil, nil, err
	}
	current, err := pair(cfg.CertData, cfg.KeyData)
	if err != nil {
		return nil, nil, err
	}
	i := &identity{current: current}
	secure.Certificates = nil
	secure.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return i.certificate(), nil }
	i.transport = utilnet.SetTransportDefaults(&http.Transport{TLSClientConfig: secure, Proxy: cfg.Proxy, DialContext: cfg.Dial})
	following := rest.CopyConfig(cfg)
	following.TLSClientConfig, following.Transport, following.Proxy, following.Dial = rest.TLSClientConfig{}, i.transport, nil, nil
	return i, following, nil
}

// pair returns a certificate with its key.
func pair(certificate, key []byte) (*tls.Certificate, error) {
	p, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("the client certificate of the agent: %w", err)
	}
	if p.Leaf, err = x509.ParseCertificate(p.Certificate[0]); err != nil {
		return nil, fmt.Errorf("the client certificate of the agent: %w", err)
	}
	return &p, nil
}

func (i *identity) certificate() *tls.Certificate {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.current
}

// use makes a certificate the current one, and ends connections that have another.
func (i *identity) use(next *tls.Certificate) {
	i.mu.Lock()
	i.current = next
	i.mu.Unlock()
	i.transport.CloseIdleConnections()
}

// due reports whether a certificate is to be renewed.
func due(certificate *x509.Certificate, now time.Time) bool {
	life := certificate.NotAfter.Sub(certificate.NotBefore)
	return certificate.NotAfter.Sub(now) < life/renewalShare
}

// keepIdentity renews the certificate of the agent until ctx ends.
func (a *Agent) keepIdentity(ctx context.Context) {
	if a.identity == nil {
		return
	}
	for ctx.Err() == nil {
		if leaf := a.identity.certificate().Leaf; due(leaf, time.Now()) {
			if err := a.renewIdentity(ctx); err != nil && ctx.Err() == nil {
				a.Log.Error("cannot renew the certificate of the agent, trying again", "cluster", a.Cluster, "expires", leaf.NotAfter, "error", err)
			}
		}
		sleep(ctx, renewalCheck)
	}
}

// renewIdentity requests a certificate for a new key, and writes both into the Secret of the agent before it uses them: an agent that
// starts again has them, too.
func (a *Agent) renewIdentity(ctx context.Context) error {
	r, key, err := request.New(rand.Reader, a.Cluster, a.identity.certificate().Leaf.Subject.CommonName)
	if err != nil {
		return err
	}
	if err := a.hub.Create(ctx, r); err != nil {
		return fmt.Errorf("requesting a certificate: %w", err)
	}
	if err := a.awaitCertificate(ctx, r); err != nil {
		return err
	}
	next, err := pair(r.Status.Certificate, key)
	if err != nil {
		return err
	}
	if err := a.store(ctx, r.Status.Certificate, key); err != nil {
		return err
	}
	a.identity.use(next)
	a.Log.Info("renewed the certificate of the agent", "cluster", a.Cluster, "expires", next.Leaf.NotAfter)
	return nil
}

func (a *Agent) awaitCertificate(ctx context.Context, r *certificatesv1.CertificateSigningRequest) error {
	err := wait.PollUntilContextTimeout(ctx, signPoll, signTime, true, func(ctx context.Context) (bool, error) {
		if err := a.hub.Get(ctx, client.ObjectKeyFromObject(r), r); err != nil {
			return false, nil // the next look may succeed
		}
		return len(r.Status.Certificate) > 0, nil
	})
	if err != nil {
		return fmt.Errorf("the hub did not sign the request %s: %w", r.Name, err)
	}
	return nil
}

// store writes a certificate and its key into the kubeconfig of the agent's Secret.
func (a *Agent) store(ctx context.Context, certificate, key []byte) error {
	if a.Secret == (types.NamespacedName{}) {
		return nil
	}
	secret := &corev1.Secret{}
	if err := a.local.Get(ctx, a.Secret, secret); err != nil {
		return fmt.Errorf("reading the Secret of the agent: %w", err)
	}
	kubeconfig, err := clientcmd.Load(secret.Data[registration.KubeconfigKey])
	if err != nil {
		return fmt.Errorf("the kubeconfig in Secret %s: %w", a.Secret, err)
	}
	current := kubeconfig.Contexts[kubeconfig.CurrentContext]
	if current == nil || kubeconfig.AuthInfos[current.AuthInfo] == nil {
		return errors.New("the kubeconfig in Secret " + a.Secret.String() + " has no current user; register the cluster again")
	}
	user := kubeconfig.AuthInfos[current.AuthInfo]
	user.ClientCertificateData, user.ClientKeyData = certificate, key
	text, err := clientcmd.Write(*kubeconfig)
	if err != nil || bytes.Equal(text, secret.Data[registration.KubeconfigKey]) {
		return err
	}
	secret.Data[registration.KubeconfigKey] = text
	if err := a.local.Update(ctx, secret); err != nil {
		return fmt.Errorf("writing the Secret of the agent: %w", err)
	}
	return nil
}
