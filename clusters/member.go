package clusters

import (
	"cmp"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	clientdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/discovery"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/internal/egress"
)

// RequestTimeout bounds every request to a member except watches. The context of each request carries the bound.
// Watches have no bound: client-go's HTTP/2 pings (after 30 s of silence, with a timeout of 15 s) detect a dead
// connection, and Probe usually detects it much sooner.
const RequestTimeout = 30 * time.Second

// Member is the connection to one cluster. It is safe for concurrent use. New credentials need a new Member.
type Member struct {
	// Name is the name of the Cluster.
	Name string
	// Objects reads and watches whole objects.
	Objects dynamic.Interface
	// Metadata sends request bodies unchanged and decodes only the metadata of responses.
	Metadata metadata.Interface
	// Kinds maps kinds to the resources that the cluster serves.
	Kinds *discovery.Kinds
	// Breaker decides whether requests are sent.
	Breaker *breaker.Breaker

	config *rest.Config
	http   *http.Client
	server clientdiscovery.DiscoveryInterface
	client rest.Interface // the client of Objects
	token  atomic.Pointer[string]
}

// Connect returns a member without sending a request, so an error means that cfg is wrong. It does not change cfg.
func Connect(cfg *rest.Config, name string) (*Member, error) {
	return ConnectWith(cfg, name, new(discovery.Cache))
}

// ConnectWith is like Connect, but members with the same cache share equal discovery results.
func ConnectWith(cfg *rest.Config, name string, catalogs *discovery.Cache) (*Member, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter, cfg.DisableCompression = -1, nil, true
	m := &Member{Name: name, Breaker: breaker.New(), config: cfg}
	if cfg.BearerToken != "" {
		m.SetToken(cfg.BearerToken)
		cfg.BearerToken = ""
		cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return bearer{&m.token, next} })
	}
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	bounded := egress.Transport{Next: cmp.Or[http.RoundTripper](client.Transport, http.DefaultTransport)}
	client = &http.Client{Transport: breaker.Transport{Breaker: m.Breaker, Next: bounded}}
	m.http = client
	if err := m.setClients(); err != nil {
		return nil, err
	}
	discoverer := *client
	discoverer.Timeout, discoverer.Transport = RequestTimeout, discovery.Transport{Next: client.Transport}
	if m.server, err = clientdiscovery.NewDiscoveryClientForConfigAndClient(cfg, &discoverer); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m.Kinds = discovery.New(m.server, catalogs)
	return m, nil
}

// Close closes idle connections. It does not end requests in progress: cancel their contexts.
func (m *Member) Close() { utilnet.CloseIdleConnectionsFor(m.http.Transport) }

// NewWatcher returns a watcher of the objects with the label applyset.kubernetes.io/part-of=id. It watches nothing
// until SetKinds is called. The caller must close it.
func (m *Member) NewWatcher(id string, sink watch.Sink) *watch.Watcher {
	return m.Watch(watch.Scope{Labels: v1alpha1.PartOfLabel + "=" + id}, sink)
}

// Watch returns a watcher of the objects of a scope. It watches nothing until SetKinds is called. The caller must close it.
func (m *Member) Watch(scope watch.Scope, sink watch.Sink) *watch.Watcher {
	return watch.New(watch.Server{Client: m.client, Kinds: m.Kinds, Breaker: m.Breaker, RequestTimeout: RequestTimeout}, scope, sink)
}
