package reconciler

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// hubWriteCounter counts what is written to the hub where it leaves: decisions, status, mirrored objects, events, leases.
type hubWriteCounter struct {
	mu     sync.Mutex
	counts map[hubWrite]int
}

// hubWrite is one kind of request.
type hubWrite struct{ resource, verb string }

// wrap counts the requests that go through a transport.
func (c *hubWriteCounter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			c.add(hubWrite{resourceAt(r.URL.Path), r.Method})
		}
		return next.RoundTrip(r)
	})
}

func (c *hubWriteCounter) add(w hubWrite) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[hubWrite]int{}
	}
	c.counts[w]++
}

func (c *hubWriteCounter) metrics() []prometheus.Metric {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []prometheus.Metric
	for w, n := range c.counts {
		all = append(all, hubWrites.is(float64(n), w.resource, w.verb))
	}
	return all
}

// roundTripper is a function that is an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip is http.RoundTripper's.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// resourceAt is the resource that a path of the Kubernetes API is about, without the names in it:
// "releases.accord.dev/status" of "/apis/accord.dev/v1alpha1/namespaces/demo/releases/shop-4f2c9e1a0b3c/status".
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
