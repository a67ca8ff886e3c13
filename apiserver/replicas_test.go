package apiserver_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/apiserver/certificate"
	"github.com/accord-dev/accord/apiserver/peers"
)

// port is the listener of a replica. It counts the bytes that it receives, and can end as it does when its machine does.
type port struct {
	net.Listener
	received atomic.Int64

	mu   sync.Mutex
	open []net.Conn
	dead bool
}

// Accept implements net.Listener.
func (p *port) Accept() (net.Conn, error) {
	for {
		c, err := p.Listener.Accept()
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		dead := p.dead
		if !dead {
			p.open = append(p.open, c)
		}
		p.mu.Unlock()
		if !dead {
			return &counted{c, &p.received}, nil
		}
		_ = c.Close()
	}
}

// kill closes all connections, now and from now on. The replica cannot say goodbye.
func (p *port) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for _, c := range p.open {
		_ = c.Close()
	}
}

type counted struct {
	net.Conn
	received *atomic.Int64
}

// Read implements net.Conn.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(int64(n))
	return n, err
}

// point has the hub forward requests to the replica at an address.
func (w *world) point(address string) {
	w.Helper()
	_, p, err := net.SplitHostPort(address)
	require.NoError(w, err)
	for _, name := range []string{"v1alpha1.delivery.accord.dev", "v1alpha1.cluster.karmada.io"} {
		status, _, text := w.try(&w.admin, http.MethodPatch, "/apis/apiregistration.k8s.io/v1/apiservices/"+name, `{"spec":{"service":{"port":`+p+`}}}`, "Content-Type: application/merge-patch+json")
		require.Equal(w, http.StatusOK, status, "%s", text)
	}
}

// reach returns when a request at a path arrives at a replica, which has registered itself.
func (w *world) reach(p *port, path string) {
	w.Helper()
	body := `"` + strings.Repeat("x", 50_000) + `"`
	require.EventuallyWithT(w, func(t *assert.CollectT) {
		before := p.received.Load()
		status, _, text := w.try(&w.admin, http.MethodPost, path, body)
		require.NotContains(t, []int{http.StatusServiceUnavailable, http.StatusUnauthorized}, status, "%s", text)
		require.Greater(t, p.received.Load()-before, int64(50_000))
	}, patience, 50*time.Millisecond)
}

// replicas runs two replicas. The agent of cluster pull has its tunnel open to the first one, and the hub sends requests to the second one.
func (p *proxies) replicas() {
	p.stop()
	p.agents()
	first, second := &port{Listener: listen(p.whole)}, &port{Listener: listen(p.whole)}
	serveAs(p.whole, p.hub, p.store, "one", first)
	p.await("pull", http.StatusServiceUnavailable)
	p.runAgent() // whose back-off begins again
	p.awaitReached()
	serveAs(p.whole, p.hub, bundles.New(bundles.CompressedLimit), "two", second)
	p.reach(second, proxyPath+"pull/proxy/api/v1/namespaces")
	before := first.received.Load()
	for name, test := range throughProxy {
		p.whole.Run("through another replica, "+name, func(t *testing.T) { test(p.with(t), "pull") })
	}
	require.Greater(p, first.received.Load(), before, "the tunnel is not that of the other replica")
	p.whole.Run("only the hub and replicas connect", func(t *testing.T) { p.with(t).forged(first.Addr().String()) })
	p.whole.Run("the tunnel moves when its replica is killed", func(t *testing.T) { p.with(t).moves(first) })
	p.whole.Run("nobody has the tunnel", func(t *testing.T) {
		p.with(t).agents()
		start := time.Now()
		require.Eventually(t, func() bool { return apierrors.IsServiceUnavailable(p.reaches()) }, patience, 50*time.Millisecond)
		require.Less(t, time.Since(start), 5*time.Second, "replicas forward the request to each other")
	})
}

// forged connects to a replica without the hub's API server, as somebody with each certificate that there is.
func (p *proxies) forged(address string) {
	hub := p.kinds()
	authority, err := certificate.Ensure(p.Context(), hub, "accord-system", time.Now())
	require.NoError(p, err)
	empty := fake.NewClientBuilder().WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "accord-system", Name: certificate.Secret}}).Build()
	foreign, err := certificate.Ensure(p.Context(), empty, "accord-system", time.Now())
	require.NoError(p, err)
	cluster := &v1alpha1.Cluster{}
	require.NoError(p, hub.Get(p.Context(), client.ObjectKey{Name: "pull"}, cluster))

	with := func(pair tls.Certificate) http.Client {
		send := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		return http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, GetClientCertificate: send}}}
	}
	as := func(leaf *certificate.Leaf, by *certificate.Authority) http.Client {
		_, err := leaf.Renew(by, time.Now())
		require.NoError(p, err)
		pair, err := tls.X509KeyPair(leaf.CurrentCertKeyContent())
		require.NoError(p, err)
		return with(pair)
	}
	base := "https://" + address
	tunnel := base + peers.Prefix + "tunnels/pull?uid=" + string(cluster.UID)
	alice := []string{"X-Remote-User: alice", "X-Remote-Group: system:authenticated"}
	agent := []string{"X-Remote-User: " + delivery.AgentUser("pull", "1")}
	for name, c := range map[string]http.Client{
		"no certificate":                      with(tls.Certificate{}),
		"that of a server of accord":          as(certificate.NewServing("accord-api.accord-system.svc"), authority),
		"that of another authority":           as(certificate.NewReplica(), foreign),
		"that of an administrator of the hub": with(p.certificate()),
	} {
		for _, x := range []struct {
			url     string
			code    int
			headers []string
		}{
			{tunnel, http.StatusForbidden, nil},
			{tunnel, http.StatusForbidden, []string{"Connection: Upgrade", "Upgrade: accord-tunnel"}},
			{base + peers.Prefix + "bundles", http.StatusForbidden, alice},
			{base + proxyPath + "pull/proxy/version", http.StatusUnauthorized, alice},
			{base + path + "/pull/index", http.StatusUnauthorized, agent},
		} {
			status, _, text := p.try(&c, http.MethodGet, x.url, "", x.headers...)
			require.Equal(p, x.code, status, "%s, %s: %s", name, x.url, text)
		}
		c.CloseIdleConnections()
	}

	replica := as(certificate.NewReplica(), authority)
	defer replica.CloseIdleConnections()
	for url, want := range map[string]int{
		tunnel: http.StatusNoContent, strings.Replace(tunnel, string(cluster.UID), "other", 1): http.StatusNotFound, strings.Replace(tunnel, "pull", "push", 1): http.StatusNotFound,
		base + peers.Prefix + "bundles": http.StatusNoContent, base + peers.Prefix + "else": http.StatusNotFound,
	} {
		status, _, _ := p.try(&replica, http.MethodGet, url, "")
		require.Equal(p, want, status, url)
	}
	status, _, text := p.try(&replica, http.MethodGet, base+proxyPath+"pull/proxy/version", "", alice...)
	require.Equal(p, http.StatusOK, status, "%s", text)
	status, _, text = p.try(&replica, http.MethodGet, base+proxyPath+"pull/proxy/version", "", "X-Remote-User: dave")
	require.Equal(p, http.StatusForbidden, status, "a replica decides about a forwarded request, too: %s", text)
}

// moves kills the replica that has the tunnel.
func (p *proxies) moves(first *port) {
	events, err := p.on(p.through("pull", "alice")).CoreV1().Pods("default").Watch(p.Context(), metav1.ListOptions{})
	require.NoError(p, err)
	defer events.Stop()
	start := time.Now()
	first.kill()
	for range events.ResultChan() { // ends with the tunnel
	}
	p.awaitReached()
	require.Less(p, time.Since(start), 10*time.Second)
	p.Logf("the tunnel is at the other replica after %s", time.Since(start).Round(time.Millisecond))
}
