package replica

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/reconciler/state"
)

// fence lets reads of a cluster pass, and of the writes only those that passes allows. A process that was stopped during a
// delivery, and continues after another replica took over, writes nothing.
type fence struct {
	http.RoundTripper
	cluster string
	passes  func(*http.Request) bool
}

// RoundTrip implements http.RoundTripper.
func (f fence) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !f.passes(r) {
		return nil, fmt.Errorf("another replica owns cluster %s", f.cluster)
	}
	return f.RoundTripper.RoundTrip(r)
}

// WrappedRoundTripper lets client-go close idle connections.
func (f fence) WrappedRoundTripper() http.RoundTripper { return f.RoundTripper }

// Fence returns a config that writes to a cluster only while this replica owns it, under the name of the replica.
func Fence(cfg *rest.Config, registry *state.Registry, cluster string) *rest.Config {
	if !registry.Shared() {
		return cfg
	}
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = rest.DefaultKubernetesUserAgent() + " replica/" + registry.Replica()
	owned := func(*http.Request) bool { return registry.Owns(cluster) }
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return fence{next, cluster, owned} })
	return cfg
}

// DryRunOnly returns a config with which nothing can be written to a cluster.
func DryRunOnly(cfg *rest.Config, cluster string) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	dryRun := func(r *http.Request) bool { return r.URL.Query().Get("dryRun") == "All" }
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return fence{next, cluster, dryRun} })
	return cfg
}
