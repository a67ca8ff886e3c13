package reconciler

import (
	"context"
	"maps"
	"strconv"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/status"
)

// announcement is what of a plan the ledger has to have before anything is delivered.
type announcement struct {
	puts []client.Object
	// decided are all objects that have a record, changed those whose record is new or another.
	decided, changed map[manifest.ID]bool
}

// announce writes the decisions to the ledger: what is new or changed, and nothing else. It returns which objects are.
// Before anything is delivered, the Release says Progressing and the generation of every FederatedObject that changes moved;
// what can say nothing that is not true any more, records that are new and the specs of Deliveries, does not make members wait.
func (e *engine) announce(ctx context.Context, f *federation, carried func(manifest.ID) bool) (map[manifest.ID]bool, error) {
	f.mu.Lock()
	release := f.release.DeepCopy()
	a := f.announcement(carried, e.elsewhere)
	f.mu.Unlock()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return e.announceRelease(ctx, f, release) })
	g.Go(func() error { e.publish(ctx, f); return nil })
	g.Go(func() error { return e.record(ctx, f, a) })
	return a.changed, g.Wait()
}

// announceRelease writes that a revision begins. A Release that is new says so from its creation on.
func (e *engine) announceRelease(ctx context.Context, f *federation, release *v1alpha1.Release) error {
	isNew := release.Generation == 0
	if err := e.putRelease(ctx, f, release); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	if !isNew || release.Generation != 1 {
		g.Go(func() error { return e.reporter.release(ctx, f) })
	}
	g.Go(func() error { return e.reporter.federation(ctx, f) })
	return g.Wait()
}

// announcement compares the plan in force with what the ledger has. carried says of an object that nothing was decided
// about it since the plan that was in force before, elsewhere of a cluster that another replica holds it. The caller holds
// f.mu.
func (f *federation) announcement(carried func(manifest.ID) bool, elsewhere func(cluster string) bool) announcement {
	a := announcement{decided: map[manifest.ID]bool{}, changed: map[manifest.ID]bool{}}
	var added []*v1alpha1.FederatedObject
	before := f.plan.Previous() // for the next plan, in the order of the decisions
	for i := range f.plan.Decisions {
		d := &f.plan.Decisions[i]
		if !recordedDecision(d) {
			continue
		}
		a.decided[d.ID] = true
		kept := f.objects[d.ID]
		if kept != nil && carried(d.ID) {
			continue
		}
		o := f.recordObject(d, before[i])
		switch {
		case kept == nil && f.remembers(d):
			a.put(o)
		case kept == nil:
			added = append(added, o)
		case f.unwritten[d.ID]:
			f.objects[d.ID], a.changed[d.ID] = o, true
		case !equality.Semantic.DeepEqual(kept.Spec, o.Spec) || !equality.Semantic.DeepEqual(kept.OwnerReferences, o.OwnerReferences):
			a.put(o)
		}
	}
	for _, o := range added {
		if len(added) <= bulk {
			a.put(o)
			continue
		}
		id := o.Spec.Template.ID()
		f.objects[id], f.unwritten[id], a.changed[id] = o, true, true
	}
	f.announceDeliveries(&a, elsewhere)
	return a
}

func (a *announcement) put(o *v1alpha1.FederatedObject) {
	a.puts = append(a.puts, o)
	a.changed[o.Spec.Template.ID()] = true
}

// announceDeliveries takes the specs of Deliveries in force in memory. Those that the ledger has are written later, and so
// are those that are orders to another replica: nothing is delivered before the rest is announced. The caller holds f.mu.
func (f *federation) announceDeliveries(a *announcement, elsewhere func(cluster string) bool) {
	for _, c := range f.clusters() {
		l := f.legs[c]
		if l.idle() {
			continue
		}
		next := f.recordDelivery(c)
		switch known := l.delivery; {
		case known.Name == "" && elsewhere(c):
			l.delivery, l.stale = next, true
		case known.Name == "":
			l.delivery.Spec = next.Spec
			a.puts = append(a.puts, next)
		case l.stale, known.Spec != next.Spec, !equality.Semantic.DeepEqual(known.OwnerReferences, next.OwnerReferences):
			next.Status, next.Generation, next.UID = known.Status, known.Generation, known.UID
			l.delivery, l.stale = next, true
		}
	}
}

// remembers says that what is decided next about an object depends on what was decided now. It is written down before it
// is acted on: a process that ends in between would decide otherwise.
func (f *federation) remembers(d *propagate.Decision) bool {
	if d.Policy == nil || d.Term != "" || d.Rebalanced != "" || d.PlacementRetained || d.Policy.Spec.ActivationPreference == policy.Lazy {
		return true
	}
	p := d.Policy.Spec.Placement
	return len(p.SpreadConstraints) > 0 || p.WorkloadAffinity != nil ||
		p.ReplicaScheduling != nil && p.ReplicaScheduling.ReplicaSchedulingType == policy.Divided
}

// record puts what is announced, and forgets what is no longer decided.
func (e *engine) record(ctx context.Context, f *federation, a announcement) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(ledgerWriters)
	for _, obj := range a.puts {
		g.Go(func() error {
			if err := e.store.Put(ctx, obj); err != nil {
				return err
			}
			f.remember(obj)
			return nil
		})
	}
	for _, o := range f.undecided(a.decided) {
		g.Go(func() error {
			err := e.store.Delete(ctx, o)
			if err != nil {
				f.restore(o)
			}
			return err
		})
	}
	return g.Wait()
}

// recordObject writes the record of an object that the ledger does not have yet, if it is such a one.
func (r *reporter) recordObject(ctx context.Context, f *federation, id manifest.ID) error {
	f.mu.Lock()
	o := f.objects[id]
	if o == nil || !f.unwritten[id] || !f.announced {
		f.mu.Unlock()
		return nil
	}
	put := o.DeepCopy()
	f.mu.Unlock()
	if err := r.engine.store.Put(ctx, put); err != nil {
		return err
	}
	if !r.recorded(f, id, o, put) {
		return r.engine.store.Delete(ctx, put)
	}
	return nil
}

// recorded takes note that the ledger has o, as put; false if the object left Git meanwhile.
func (r *reporter) recorded(f *federation, id manifest.ID, o, put *v1alpha1.FederatedObject) (wanted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch f.objects[id] {
	case nil:
		return false
	case o:
		f.objects[id] = put
		delete(f.unwritten, id)
	default: // it was decided about again
		r.add(entry{federation: f.key, object: id}, 0)
	}
	if len(f.unwritten) == 0 {
		r.add(entry{federation: f.key}, 0)
	}
	return true
}

// recordDelivery writes the spec of a Delivery that the ledger does not have yet, if it is such a one.
func (r *reporter) recordDelivery(ctx context.Context, f *federation, cluster string) error {
	f.telling.deliveries.Lock()
	defer f.telling.deliveries.Unlock()
	f.mu.Lock()
	l := f.legs[cluster]
	if l == nil || !l.stale || !f.announced {
		f.mu.Unlock()
		return nil
	}
	put := l.delivery.DeepCopy()
	f.mu.Unlock()
	if err := r.engine.store.Put(ctx, put); err != nil {
		return err
	}
	f.remember(put)
	r.add(entry{federation: f.key, cluster: cluster}, 0)
	return nil
}

// hideUnwritten keeps a Release from being done before the records of its objects are on the hub. The caller holds f.mu.
func (f *federation) hideUnwritten(legs []status.DeliveryState) {
	if len(f.unwritten) == 0 || len(legs) == 0 || legs[0].State != v1alpha1.Healthy {
		return
	}
	legs[0] = status.DeliveryState{
		Cluster: legs[0].Cluster, State: v1alpha1.Progressing, Reason: status.Progressing,
		Message: "records of " + strconv.Itoa(len(f.unwritten)) + " objects are still to be written to the hub",
	}
}

// outstanding says that a cluster that answers was not delivered to its end yet. The caller holds f.mu.
func (e *engine) outstanding(f *federation) bool {
	for c, l := range f.legs {
		if why, _ := e.reach(c); why == "" && !l.run.Finished && l.run.Error == "" {
			return true
		}
	}
	return false
}

// endBulk has all objects told of when the bulk is delivered. The caller holds f.mu.
func (e *engine) endBulk(f *federation) {
	if f.bulk && !e.outstanding(f) {
		f.bulk, f.urgent = false, nil
		e.reporter.objects(f, maps.Keys(f.objectIDs()))
		e.reporter.queue.AddAfter(entry{memory: true}, memoryRest)
	}
}
