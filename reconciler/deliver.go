package reconciler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// deliver brings one federation to this cluster as far as it can be brought now; false asks for another try.
func (b *bulkhead) deliver(ctx context.Context, key types.NamespacedName) (done bool) {
	f := b.engine.federation(key)
	if f == nil {
		return true
	}
	if !b.deliverable() {
		return true // it is queued again when the cluster answers
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j, ok := f.begin(b.Name, cancel)
	if !ok {
		return true
	}
	if err := b.look(ctx, f, &j); err != nil {
		return b.conclude(ctx, f, j, live.Outcome{}, err)
	}
	if j.spec.Suspend {
		return true // it is only looked at
	}
	book, _ := j.plan.Interpreters()
	outcome, err := apply.Deliver(ctx, b.Member, j.federation, j.target, f.live(j.leg), j.inventory, apply.Options{
		Prune: j.spec.Prune, Brake: j.spec.PruneLimits, AllowPrune: j.allowPrune, Nothing: j.plan.Empty(), Known: j.plan.Kind, Book: book, First: j.first,
		Withdraw: j.withdraw(b.Name),
		Spare:    f.spare(j.leg, time.Now()),
		Yield:    f.planning.yield,
		Record:   func(ctx context.Context, inventory []string) error { return b.record(ctx, f, j, inventory) },
	})
	return b.conclude(ctx, f, j, outcome, err)
}

// job is one delivery: what was wanted of one cluster when it began.
type job struct {
	*leg
	plan       *propagate.Plan
	federation string // "<namespace>/<name>"
	target     propagate.ClusterPlan
	inventory  *live.Inventory
	spec       v1alpha1.FederationSpec
	first      map[manifest.ID]bool
	allowPrune bool
	staged     *propagate.StagedPlan // nil without rollouts
	unread     error                 // entries of the inventory that could not be read
}

// begin is false when there is nothing to deliver: no plan, or one that is still being announced.
func (f *federation) begin(cluster string, cancel context.CancelFunc) (job, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.legs[cluster]
	if l == nil || !f.announced || l.waits {
		return job{}, false
	}
	l.cancel = cancel
	inventory, err := f.readInventory(l.inventory())
	return job{
		leg: l, inventory: inventory, unread: err, staged: f.staged(l), plan: f.plan, federation: f.key.String(), target: l.target,
		spec: f.declaration.Spec, allowPrune: f.allowPrune, first: f.urgent,
	}, true
}

// look makes sure that all kinds that are wanted or were delivered are watched, and were listed.
func (b *bulkhead) look(ctx context.Context, f *federation, j *job) error {
	if j.unread != nil {
		return j.unread
	}
	w := b.watch(f.key, j.federation)
	if err := b.recall(ctx, f, j); err != nil {
		return err
	}
	kinds := j.kinds()
	w.SetKinds(kinds)
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	if err := w.WaitForSync(ctx); err != nil {
		return fmt.Errorf("listing what is there: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan == j.plan && j.leg.list(kinds) {
		b.engine.reporter.objectsOn(f, maps.Keys(f.waiting), slices.Values([]string{b.Name}))
		clear(f.waiting)
	}
	return nil
}

// kinds of what is wanted and of what was delivered, one version each.
func (j job) kinds() []schema.GroupVersionKind {
	versions := map[schema.GroupKind]schema.GroupVersionKind{}
	for _, kind := range j.inventory.Kinds() {
		versions[kind] = kind.WithVersion("") // whatever is served
	}
	for _, p := range j.target.Objects {
		versions[p.GVK.GroupKind()] = p.GVK
	}
	return slices.Collect(maps.Values(versions))
}

// list notes that what is known of some kinds is complete, and that no other is wanted; false if that is nothing new.
func (l *leg) list(kinds []schema.GroupVersionKind) bool {
	known := l.listed
	l.listed, l.kinds = true, map[schema.GroupKind]bool{}
	for _, gvk := range kinds {
		l.kinds[gvk.GroupKind()] = true
	}
	return !known
}

// live is a copy of what is known to be on a cluster, for a delivery, which looks after all of it.
func (f *federation) live(l *leg) *live.Objects {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(l.astray)
	return l.live.Clone()
}

// record writes the inventory down before anything in it is written to the cluster.
func (b *bulkhead) record(ctx context.Context, f *federation, j job, inventory []string) error {
	f.mu.Lock()
	j.run.Started, j.run.Inventory, j.absences.recorded = true, f.sharing(inventory), true
	f.mu.Unlock()
	if b.engine.follows() {
		return b.engine.reporter.dispatch(ctx, f, b.Name)
	}
	if err := b.engine.reporter.recordDelivery(ctx, f, b.Name); err != nil {
		return err
	}
	b.engine.reporter.judgeDelivery(f, b.Name)
	return b.engine.reporter.putDelivery(ctx, f, b.Name)
}

// conclude takes note of what a delivery did, unless a newer plan interrupted it: then what was learnt is about the past.
func (b *bulkhead) conclude(ctx context.Context, f *federation, j job, o live.Outcome, err error) (done bool) {
	f.mu.Lock()
	j.live.Settle(o.Answers) // true of the cluster, whatever is to be there now
	if ctx.Err() != nil {
		f.mu.Unlock()
		return true
	}
	j.cancel = nil
	o.Drift, o.Inventory = j.leg.absences.drift(o), f.sharing(o.Inventory)
	j.leg.concluded(o, err)
	b.fought(f, j.leg, o)
	if f.plan == j.plan {
		touched := j.leg.conclude(o, err)
		b.engine.reporter.objectsOn(f, maps.Keys(touched), slices.Values([]string{b.Name}))
		b.engine.endBulk(f)
		b.retrieve(f, j.leg)
	}
	f.mu.Unlock()
	if err != nil && clusters.Down(err) {
		if b.Breaker.Status().Cause == nil {
			return false // it was about this one request
		}
		b.lose(err)
		return true
	}
	b.engine.reportDrift(f, b.Name, o.Drift)
	return err == nil && len(o.Errors) == 0
}

// objectIDs are all objects that were decided about. The caller holds f.mu.
func (f *federation) objectIDs() map[manifest.ID]bool {
	ids := make(map[manifest.ID]bool, len(f.objects))
	for id := range f.objects {
		ids[id] = true
	}
	return ids
}

// conclude is what a delivery left to be told; it returns the objects that have an error, or had one. The caller holds
// the federation's mutex.
func (l *leg) conclude(o live.Outcome, err error) (touched map[manifest.ID]bool) {
	touched = map[manifest.ID]bool{}
	l.run.Started, l.run.Finished = true, err == nil
	l.run.PruneBlocked, l.run.Error = o.PruneBlocked, ""
	if err != nil {
		l.run.Error = err.Error()
		return touched
	}
	l.run.Inventory, l.run.Orphaned = orEmpty(o.Inventory), orphans(o)
	for _, d := range o.Drift {
		l.run.Drift = remembered(l.run.Drift, describe(d))
	}
	for id := range l.errors {
		touched[id] = true
	}
	clear(l.errors)
	for id, err := range o.Errors {
		l.errors[id] = err.Error()
		touched[id] = true
	}
	return touched
}

// orphans lists what stays although it is not wanted.
func orphans(o live.Outcome) []string {
	list := []string{}
	for id, why := range o.Orphaned {
		list = append(list, id.String()+": "+why)
	}
	slices.Sort(list)
	return list
}

// orEmpty tells an inventory with nothing in it from none.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func describe(d live.Drift) string {
	s := d.ID.String() + " " + d.What
	if d.Fields != "" {
		s = d.ID.String() + " " + d.Fields + " " + d.What
	}
	if d.Manager != "" {
		s += " by " + d.Manager
	}
	return s
}
