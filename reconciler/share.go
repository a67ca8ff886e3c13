package reconciler

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Several replicas share the clusters: each holds some (package shard says which), is connected to those only, delivers
// there and watches what comes of it. One of them leads: it alone fetches and decides, and it alone says what is so, on
// the hub. It orders by the Delivery of a cluster; the replica that holds the cluster makes the same plan of the same commit
// (deciding is a function), finds by its digest that it is the same, and carries it out. What it did and saw it writes
// into the DeliveryReport beside, from which the leader judges as if it had seen it itself.

// share is the part of a replica in that. The zero share is that of one that is alone: it leads, and holds everything.
type share struct {
	// replica is the name of this one.
	replica string
	// hub is written to without the ledger, which is the leader's.
	hub client.Client
	// reader reads the hub, and no cache.
	reader client.Reader
	// holders says who holds what; nil where one replica holds everything.
	holders holders

	// follows is true until this replica leads. role is held for reading while an order is taken over, and taken to begin to
	// lead.
	follows atomic.Bool
	role    sync.RWMutex

	// needsRoom: a plan of the leader depends on what room the clusters have.
	needsRoom atomic.Bool

	mu sync.Mutex
	// changed is when who holds what changed last, or this replica began to lead.
	changed time.Time
}

// holders is what package shard knows.
type holders interface {
	// Holds says that this replica may write to the cluster now.
	Holds(cluster string) bool
	// Owner is the replica that does, or is about to.
	Owner(cluster string) string
}

// holds says that this replica may write to the cluster now.
func (e *engine) holds(cluster string) bool {
	return e.share.holders == nil || e.share.holders.Holds(cluster)
}

// elsewhere says that another replica holds the cluster, or is about to.
func (e *engine) elsewhere(cluster string) bool { return !e.holds(cluster) }

// follows says that another replica leads, or none.
func (e *engine) follows() bool { return e.share.follows.Load() }

// lead has this replica decide from now on. It begins as after a restart, with what stands on the hub: what it knows as
// one that carries out orders is about them only.
func (e *engine) lead() {
	if !e.follows() {
		return
	}
	e.share.role.Lock()
	defer e.share.role.Unlock()
	if !e.share.follows.CompareAndSwap(true, false) {
		return
	}
	e.share.moved()
	for _, f := range e.all() {
		e.forget(f.key)
	}
}

// moved notes that clusters are on their way from one replica to another.
func (s *share) moved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = time.Now()
}

// letGo ends all work for clusters that this replica does not hold any more, and returns when none is under way.
func (p *prober) letGo(holds func(cluster string) bool) {
	var closing sync.WaitGroup
	for _, b := range p.engine.connected() {
		if !holds(b.Name) {
			closing.Go(func() { p.drop(b.Name) })
		}
	}
	closing.Wait()
}

// fence lets what reads a cluster pass, and of what writes only what passes says. One that was stopped in the middle of a
// delivery, and goes on when another replica has taken over, writes nothing.
type fence struct {
	http.RoundTripper
	cluster string
	passes  func(*http.Request) bool
}

func (f fence) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !f.passes(r) {
		return nil, fmt.Errorf("another replica holds cluster %s", f.cluster)
	}
	return f.RoundTripper.RoundTrip(r)
}

// WrappedRoundTripper lets client-go close connections that are idle.
func (f fence) WrappedRoundTripper() http.RoundTripper { return f.RoundTripper }

// fenced is a config for a cluster that this replica writes to as long as it holds it, under the name of the replica.
func (e *engine) fenced(cfg *rest.Config, cluster string) *rest.Config {
	if e.share.holders == nil {
		return cfg
	}
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = rest.DefaultKubernetesUserAgent() + " replica/" + e.share.replica
	held := func(*http.Request) bool { return e.holds(cluster) }
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return fence{next, cluster, held} })
	return cfg
}
