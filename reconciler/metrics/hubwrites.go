package metrics

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// HubWrites counts the requests that write to the hub: decisions, status, mirrored objects, events, leases. It is safe
// for concurrent use.
type HubWrites struct {
	mu     sync.Mutex
	counts map[hubWrite]int
}

// hubWrite identifies one kind of request.
type hubWrite struct{ resource, verb string }

// Wrap returns a transport that counts the requests sent through next.
func (c *HubWrites) Wrap(next http.RoundTripper) http.RoundTripper {
	return hubTransport{c, next}
}

func (c *HubWrites) add(w hubWrite) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[hubWrite]int{}
	}
	c.counts[w]++
}

func (c *HubWrites) metrics() []prometheus.Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []prometheus.Metric
	for w, n := range c.counts {
		all = append(all, hubWrites.metric(float64(n), w.resource, w.verb))
	}
	return all
}

// hubTransport counts the writes among the requests to the hub.
type hubTransport struct {
	counts *HubWrites
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t hubTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		t.counts.add(hubWrite{resourceAt(r.URL.Path), r.Method})
	}
	return t.next.RoundTrip(r)
}

// WrappedRoundTripper implements utilnet.RoundTripperWrapper, so that idle connections can be closed.
func (t hubTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

// resourceAt returns the resource of a path of the Kubernetes API, without the names in it: "releases.accord.dev/status"
// for "/apis/accord.dev/v1alpha1/namespaces/demo/releases/shop-4f2c9e1a0b3c/status".
func resourceAt(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group, rest := "", parts
	switch {
	case parts[0] == "api" && len(parts) > 2:
		rest = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group, rest = "."+parts[1], parts[3:]
	default:
		return "other"
	}
	ofNamespace := []string{"status", "finalize"} // subresources of the Namespace itself
	if rest[0] == "namespaces" && len(rest) > 2 && !slices.Contains(ofNamespace, rest[2]) {
		rest = rest[2:]
	}
	if len(rest) > 2 {
		return rest[0] + group + "/" + rest[2]
	}
	return rest[0] + group
}
