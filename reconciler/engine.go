package reconciler

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

// engine holds what is in force and what is known, in memory: a plan per federation, a bulkhead per cluster.
// It does not know where Federations and Clusters are declared; sync and cluster tell it, and so does Once.
type engine struct {
	store store.Store
	log   *slog.Logger
	// event tells people of something that explains or needs an action; kind is Normal or Warning.
	event func(about client.Object, kind, reason, message string)
	// surveyed is told that there is news of what a cluster says of itself; it may not block.
	surveyed func(cluster string)
	// replan has a new plan made of a federation; it may not block.
	replan func(federation types.NamespacedName)
	// reporter writes status down, coalesced.
	reporter *reporter
	// revisit makes the plan of an older commit for the clusters of another plan; nil where there are no sources to look at.
	revisit func(ctx context.Context, f *federation, now *propagate.Plan, revision string) (*propagate.Plan, error)
	// visit connects to a cluster that another replica holds; nil where none does.
	visit func(ctx context.Context, cluster string) (*clusters.Member, error)
	// mirror publishes objects on the hub; nil without one.
	mirror *mirrorer
	// fingerprints are told in place of digests of Secrets.
	fingerprints *fingerprint.Key
	// roll of the Clusters on the hub.
	roll roll
	// share is the part of this replica in the work.
	share share

	mu          sync.Mutex
	federations map[types.NamespacedName]*federation
	bulkheads   map[string]*bulkhead
	// hearsay is what other replicas say of the clusters that they hold.
	hearsay map[string]hearsay
}

// newEngine starts nothing; run does.
func newEngine(l store.Store, log *slog.Logger, event func(about client.Object, kind, reason, message string)) *engine {
	e := &engine{
		store: l, log: log, event: event, surveyed: func(string) {}, replan: func(types.NamespacedName) {},
		federations: map[types.NamespacedName]*federation{},
		bulkheads:   map[string]*bulkhead{}, fingerprints: store.ProcessFingerprints(), hearsay: map[string]hearsay{},
	}
	e.reporter = newReporter(e)
	return e
}

// run writes status until ctx ends, and then waits until every bulkhead has let go of its cluster.
func (e *engine) run(ctx context.Context) {
	e.reporter.run(ctx)
	e.mu.Lock()
	bulkheads := slices.Collect(maps.Values(e.bulkheads))
	e.mu.Unlock()
	for _, b := range bulkheads { // without e.mu, which what is under way may need to end
		b.close()
	}
}

// open returns a federation. The first time it is read from the ledger, so that a restart goes on where the process
// before it ended.
func (e *engine) open(ctx context.Context, fed *v1alpha1.Federation) (*federation, error) {
	key := client.ObjectKeyFromObject(fed)
	if f := e.federation(key); f != nil && f.declared(fed) {
		return f, nil
	}
	e.forget(key)
	f, err := recall(ctx, e.store, fed, e.fingerprints)
	if err != nil {
		return nil, err
	}
	reports, err := e.reportsOf(ctx, f)
	if err != nil {
		return nil, err
	}
	f.inherit(reports)
	e.mu.Lock()
	e.federations[key] = f
	e.mu.Unlock()
	for i := range reports {
		e.takeIn(&reports[i])
	}
	return f, nil
}

// federation is nil when it is not known.
func (e *engine) federation(key types.NamespacedName) *federation {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.federations[key]
}

// all federations, in no order.
func (e *engine) all() []*federation {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Values(e.federations))
}

// forget drops a federation that was deleted on the hub. What it delivered stays where it is; its records on the hub
// are collected with it.
func (e *engine) forget(key types.NamespacedName) {
	e.mu.Lock()
	f := e.federations[key]
	delete(e.federations, key)
	bulkheads := slices.Collect(maps.Values(e.bulkheads))
	e.mu.Unlock()
	if f == nil {
		return
	}
	f.end()
	for _, b := range bulkheads {
		b.unwatch(key)
	}
	e.reporter.forget(key)
	e.mirror.forget(key)
}

// bulkhead is nil when the cluster was never connected.
func (e *engine) bulkhead(cluster string) *bulkhead {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bulkheads[cluster]
}

// connect gives a cluster a bulkhead, in place of the one it had.
func (e *engine) connect(m *clusters.Member) {
	b := newBulkhead(e, m)
	e.mu.Lock()
	old := e.bulkheads[m.Name]
	e.bulkheads[m.Name] = b
	held := e.holds(m.Name)
	e.mu.Unlock()
	if old != nil {
		old.close()
	}
	if !held { // it was let go since it was looked at
		e.disconnect(m.Name)
		return
	}
	for _, f := range e.all() {
		f.unlist(m.Name)
		b.enqueueFor(f.key, forResync)
	}
}

// disconnect drops a cluster that left the fleet, or whose credentials cannot be used any more.
func (e *engine) disconnect(cluster string) {
	e.mu.Lock()
	b := e.bulkheads[cluster]
	delete(e.bulkheads, cluster)
	e.mu.Unlock()
	if b != nil {
		b.close()
	}
	e.reached(cluster)
}

// heard records whether a cluster answered; err says why it did not.
func (e *engine) heard(cluster string, err error) {
	b := e.bulkhead(cluster)
	if b == nil || !b.heard(err, time.Now()) {
		return
	}
	b.wonder()
	for _, f := range e.all() {
		b.enqueueFor(f.key, forResync)
	}
	e.reached(cluster)
}

// reached has everything reported again that depends on whether a cluster can be reached.
func (e *engine) reached(cluster string) {
	for _, f := range e.all() {
		e.reporter.cluster(f, cluster)
		f.mu.Lock()
		e.endBulk(f) // nobody waits for a cluster that does not answer
		f.mu.Unlock()
	}
}

// reach says why a cluster is not heard from, empty when it is, and when it answered last.
func (e *engine) reach(cluster string) (unreachable string, last time.Time) {
	b := e.bulkhead(cluster)
	if b == nil {
		return e.reachElsewhere(cluster)
	}
	return b.reach()
}

// resync has looked at again what should have been delivered and told by now. It costs nothing where all is well, and
// a wake-up that was lost costs an interval and not for ever.
func (e *engine) resync(f *federation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c, l := range f.legs {
		if b := e.bulkhead(c); b != nil && !l.run.Finished {
			b.enqueueFor(f.key, forResync)
		}
		e.reporter.add(entry{federation: f.key, cluster: c}, releasePace)
	}
}
