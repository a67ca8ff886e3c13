package clusters

import (
	"cmp"
	"fmt"
	"net/http"
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
)

// RequestTimeout bounds every single request to a member that is not a watch. It is set with the context of each request.
// Watches have no bound of their own: a connection that went dead is noticed by client-go's HTTP/2 pings, sent after
// 30 s of silence and waited for 15 s, and much sooner by Probe.
const RequestTimeout = 30 * time.Second

// Member is one cluster and the connection to it. It may be used from any goroutine. New credentials are a new Member.
type Member struct {
	// Name of the Cluster.
	Name string
	// Objects reads and watches whole objects.
	Objects dynamic.Interface
	// Metadata writes bodies as they are, and reads no more of an object than its metadata.
	Metadata metadata.Interface
	// Kinds are those that the cluster serves.
	Kinds *discovery.Kinds
	// Breaker decides whether anything is sent at all.
	Breaker *breaker.Breaker

	http   *http.Client
	server clientdiscovery.DiscoveryInterface
	client rest.Interface // that of Objects
}

// Connect makes the clients of a member; nothing is sent yet, so an error is a mistake in cfg. cfg is not changed.
func Connect(cfg *rest.Config, name string) (*Member, error) {
	return ConnectWith(cfg, name, new(discovery.Cache))
}

// ConnectWith is Connect, for a member that shares what it serves with the others of catalogs.
func ConnectWith(cfg *rest.Config, name string, catalogs *discovery.Cache) (*Member, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter = -1, nil
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m := &Member{Name: name, Breaker: breaker.New()}
	client = &http.Client{Transport: breaker.Transport{Breaker: m.Breaker, Next: cmp.Or[http.RoundTripper](client.Transport, http.DefaultTransport)}}
	m.http = client
	objects := dynamic.ConfigFor(cfg)
	objects.APIPath = "/" // every request has a path of its own
	if m.client, err = rest.UnversionedRESTClientForConfigAndClient(objects, client); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m.Objects = dynamic.New(m.client)
	if m.Metadata, err = metadata.NewForConfigAndClient(cfg, client); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	bounded := *client
	bounded.Timeout, bounded.Transport = RequestTimeout, discovery.Transport{Next: client.Transport}
	if m.server, err = clientdiscovery.NewDiscoveryClientForConfigAndClient(cfg, &bounded); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m.Kinds = discovery.New(m.server, catalogs)
	return m, nil
}

// Close gives up idle connections. What is under way is not ended: that is for the contexts it was started with.
func (m *Member) Close() { utilnet.CloseIdleConnectionsFor(m.http.Transport) }

// NewWatcher watches what carries the label applyset.kubernetes.io/part-of=id; no kinds yet: see watch.Watch.Set. Close it.
func (m *Member) NewWatcher(id string, sink watch.Sink) *watch.Watcher {
	server := watch.Server{Client: m.client, Kinds: m.Kinds, Breaker: m.Breaker, RequestTimeout: RequestTimeout}
	return watch.New(server, v1alpha1.PartOfLabel+"="+id, sink)
}
