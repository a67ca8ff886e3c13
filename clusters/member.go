package clusters

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
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
	Kinds *Kinds
	// Breaker decides whether anything is sent at all.
	Breaker *Breaker

	http   *http.Client
	server discovery.DiscoveryInterface
	client rest.Interface // that of Objects
}

// Connect makes the clients of a member; nothing is sent yet, so an error is a mistake in cfg. cfg is not changed.
func Connect(cfg *rest.Config, name string) (*Member, error) {
	return connectTo(cfg, name, new(Catalogs))
}

func connectTo(cfg *rest.Config, name string, catalogs *Catalogs) (*Member, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.RateLimiter = -1, nil
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m := &Member{Name: name, Breaker: newBreaker()}
	client = &http.Client{Transport: guarded{m.Breaker, cmp.Or[http.RoundTripper](client.Transport, http.DefaultTransport)}}
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
	bounded.Timeout, bounded.Transport = RequestTimeout, tagging{client.Transport}
	if m.server, err = discovery.NewDiscoveryClientForConfigAndClient(cfg, &bounded); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	m.Kinds = newKinds(m.server, directory{m.server, catalogs}.look)
	return m, nil
}

// Close gives up idle connections. What is under way is not ended: that is for the contexts it was started with.
func (m *Member) Close() { utilnet.CloseIdleConnectionsFor(m.http.Transport) }
