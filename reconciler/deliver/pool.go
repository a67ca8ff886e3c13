package deliver

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// Pool has a worker for every connected cluster.
type Pool struct {
	registry *state.Registry
	reporter *report.Reporter
	log      *slog.Logger
	// pulled is called when a cluster without a worker has something to deliver, has reported, or is reachable again: its agent may need
	// another bundle, or has to be asked. It must not block.
	pulled func(cluster string)
	// surveyed is called when a survey of a cluster has news; it must not block.
	surveyed func(cluster string)
	// visit connects to a cluster of another replica, without the right to write; nil where no replica shares clusters.
	visit func(ctx context.Context, cluster string) (*clusters.Member, error)
	// account finds the account for the objects of a Federation. After an error nothing is written.
	account func(ctx context.Context, federation types.NamespacedName) (tenancy.Account, error)

	movable Movable // nil: no replica moves

	crowd crowd

	mu        sync.Mutex
	workers   map[string]*Worker
	ending    map[*Worker]bool // left workers, and may still deliver
	plannings map[types.NamespacedName]*planning
}

// NewPool returns a pool without clusters. account finds the account on the clusters for the objects of a Federation; after an error
// accord writes nothing of it.
func NewPool(registry *state.Registry, reporter *report.Reporter, account func(context.Context, types.NamespacedName) (tenancy.Account, error), log *slog.Logger) *Pool {
	return &Pool{
		registry: registry, reporter: reporter, account: account, log: log, surveyed: func(string) {}, pulled: func(string) {},
		workers: map[string]*Worker{}, ending: map[*Worker]bool{}, plannings: map[types.NamespacedName]*planning{},
	}
}

// OnSurvey sets the function that is called when a survey of a cluster has news. It must not block.
func (p *Pool) OnSurvey(call func(cluster string)) { p.surveyed = call }

// OnPulled sets the function that is called when the bundle of a cluster in pull mode may change. It must not block.
func (p *Pool) OnPulled(call func(cluster string)) { p.pulled = call }

// OnVisit sets the function that connects to a cluster of another replica.
func (p *Pool) OnVisit(visit func(ctx context.Context, cluster string) (*clusters.Member, error)) {
	p.visit = visit
}

// Account returns the account on the clusters for the objects of a Federation.
func (p *Pool) Account(ctx context.Context, federation types.NamespacedName) (tenancy.Account, error) {
	return p.account(ctx, federation)
}

// Suspend cancels the deliveries of a Federation that is suspended. The bundles of its clusters in pull mode change, because agents suspend
// by them.
func (p *Pool) Suspend(f *state.Federation) {
	c := f.Suspend()
	if len(c.Updates) > 0 {
		for _, cluster := range f.Clusters() {
			if p.Worker(cluster) == nil {
				p.pulled(cluster)
			}
		}
	}
	p.Enqueue(c)
}

// Enqueue requests the deliveries of some changes, and passes the rest to the reporter.
func (p *Pool) Enqueue(c changes.Changes) {
	for _, d := range c.Deliveries {
		if w := p.Worker(d.Cluster); w != nil {
			w.enqueue(d.Federation, d.Priority, d.After)
		} else {
			p.pulled(d.Cluster)
		}
	}
	p.reporter.Enqueue(c)
}

// Worker returns the worker of a cluster; nil if the cluster is not connected.
func (p *Pool) Worker(cluster string) *Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers[cluster]
}

// Workers returns all workers, in no order.
func (p *Pool) Workers() []*Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.workers))
}

// Connect starts a worker for a cluster, in place of the one it had.
func (p *Pool) Connect(m *clusters.Member) {
	w := newWorker(p, m)
	p.mu.Lock()
	old := p.remove(m.Name)
	p.workers[m.Name] = w
	owned := p.registry.Owns(m.Name)
	p.mu.Unlock()
	p.end(old)
	w.publish()
	if !owned { // another replica took the cluster meanwhile
		p.Disconnect(m.Name)
		return
	}
	for _, f := range p.registry.Federations() {
		f.Unlist(m.Name)
		w.enqueue(f.Key(), changes.Resync, 0)
	}
}

// Disconnect ends the worker of a cluster that left the fleet, or whose credentials cannot be used any more.
func (p *Pool) Disconnect(cluster string) {
	p.mu.Lock()
	w := p.remove(cluster)
	p.mu.Unlock()
	p.end(w)
	p.registry.Disconnect(cluster)
	p.ReachabilityChanged(cluster)
}

// remove returns the worker of a cluster, which is to end; nil if there is none. The caller holds the lock.
func (p *Pool) remove(cluster string) *Worker {
	w := p.workers[cluster]
	if w != nil {
		delete(p.workers, cluster)
		p.ending[w] = true
	}
	return w
}

// end closes a removed worker, which may be nil.
func (p *Pool) end(w *Worker) {
	if w == nil {
		return
	}
	w.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ending, w)
}

// AwaitRelease returns when no worker delivers to a cluster that owns is false for. It closes the workers of these clusters, and
// waits for those that somebody else closes already.
func (p *Pool) AwaitRelease(owns func(cluster string) bool) {
	p.mu.Lock()
	all := slices.AppendSeq(slices.Collect(maps.Values(p.workers)), maps.Keys(p.ending))
	p.mu.Unlock()
	var closing sync.WaitGroup
	for _, w := range all {
		if !owns(w.Name()) {
			closing.Go(w.close)
		}
	}
	closing.Wait()
}

// Close ends every worker.
func (p *Pool) Close() {
	for _, w := range p.Workers() { // without the lock, which a worker may need to end
		w.close()
	}
}

// Probed records the result of a probe; err is nil if the cluster answered.
func (p *Pool) Probed(cluster string, err error) {
	w := p.Worker(cluster)
	if w == nil || !w.probed(err, time.Now()) {
		return
	}
	w.requestSurvey()
	for _, f := range p.registry.Federations() {
		w.enqueue(f.Key(), changes.Resync, 0)
	}
	p.ReachabilityChanged(cluster)
}

// ReachabilityChanged reports everything again that depends on whether a cluster is reachable.
func (p *Pool) ReachabilityChanged(cluster string) {
	if p.Worker(cluster) == nil {
		p.pulled(cluster)
	}
	for _, f := range p.registry.Federations() {
		p.Enqueue(f.ReachabilityChanged(cluster, time.Now()))
	}
}

// Relist has every watch of a Federation list again, after the rules about kinds have changed: the state keeps only the health that
// the earlier rules computed.
func (p *Pool) Relist(f *state.Federation) {
	for _, cluster := range f.Clusters() {
		if w := p.Worker(cluster); w != nil {
			w.unwatch(f.Key())
			f.Unlist(cluster)
		}
	}
}

// Forget ends the watches of a Federation that was deleted. Its objects stay on the members; its records on the hub are
// collected with it.
func (p *Pool) Forget(federation types.NamespacedName) {
	for _, w := range p.Workers() {
		w.unwatch(federation)
	}
	p.mu.Lock()
	delete(p.plannings, federation)
	p.mu.Unlock()
	p.reporter.Forget(federation)
}

// Ask calls with a connection to a reachable cluster: the one of this replica, or one for the time of the call. why is
// set if there is none; then call is not made.
func (p *Pool) Ask(ctx context.Context, cluster string, call func(*clusters.Member) error) (why string, err error) {
	if why := p.registry.Reachability(cluster, time.Now()).Unreachable; why != "" {
		return why, nil
	}
	if w := p.Worker(cluster); w != nil {
		return "", call(w.member)
	}
	if p.visit == nil {
		return reachability.NotConnected, nil
	}
	m, err := p.visit(ctx, cluster)
	if err != nil {
		return err.Error(), nil
	}
	defer m.Close()
	return "", call(m)
}

// Inform returns the clusters with the results of their last surveys, which the hub may not have yet. The argument is not
// changed.
func (p *Pool) Inform(members []v1alpha1.Cluster) []v1alpha1.Cluster {
	informed := slices.Clone(members)
	for i := range informed {
		if w := p.Worker(informed[i].Name); w != nil {
			c := &informed[i]
			c.Status.Conditions = slices.Clone(c.Status.Conditions) // everything else is replaced, not changed
			w.Inform(&c.Status, c.Generation)
		}
	}
	return informed
}

// Ingest takes over the report of the replica that owns a cluster. Reports of other replicas do not count.
func (p *Pool) Ingest(r *v1alpha1.DeliveryReport) {
	f := p.registry.Federation(types.NamespacedName{Namespace: r.Namespace, Name: r.Spec.Federation})
	if f == nil || !p.registry.Accepts(r.Spec.Cluster, r.Status.Replica) {
		return
	}
	changed := p.registry.MergeReachability(r.Spec.Cluster, r.Status.Replica, r.Status.Connectivity, time.Now())
	p.Enqueue(f.IngestReport(r, time.Now()))
	p.pulled(r.Spec.Cluster)
	if changed {
		p.ReachabilityChanged(r.Spec.Cluster)
	}
}
