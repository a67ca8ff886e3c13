package replica

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/reconciler/state"
)

// writeGrace bounds how long a write that was sent is awaited after its delivery was cancelled. It has to be shorter than the time
// that lease.Options.Release has after the deadline.
const writeGrace = 2 * time.Second

// fence lets reads of a cluster pass, and of the writes only those that passes allows. A process that was stopped during a
// delivery, and continues after another replica took over, writes nothing. A write that was sent is answered before the next
// owner begins: a cancelled one may still reach the cluster, after what the next owner writes there.
type fence struct {
	http.RoundTripper
	cluster string
	passes  func(*http.Request) bool
}

// RoundTrip implements http.RoundTripper.
func (f fence) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		return f.RoundTripper.RoundTrip(r)
	}
	if !f.passes(r) {
		return nil, fmt.Errorf("another replica owns cluster %s", f.cluster)
	}
	return f.answered(r)
}

// answered sends a write, and returns the answer of the cluster although the delivery is cancelled meanwhile, if it comes within
// the grace period.
func (f fence) answered(r *http.Request) (*http.Response, error) {
	asked := r.Context()
	ctx, cancel := context.WithCancel(context.WithoutCancel(asked))
	unlink := context.AfterFunc(asked, func() {
		if errors.Is(asked.Err(), context.Canceled) {
			time.AfterFunc(writeGrace, cancel)
			return
		}
		cancel() // the request had its time
	})
	answer, err := f.RoundTripper.RoundTrip(r.WithContext(ctx))
	unlink()
	context.AfterFunc(asked, cancel) // ends the read of the answer
	if err != nil && asked.Err() != nil {
		return nil, asked.Err()
	}
	return answer, err
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
