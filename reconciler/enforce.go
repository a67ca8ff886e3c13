package reconciler

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
)

// ledgerWriters bounds the concurrent writes to the hub.
const ledgerWriters = 8

// keptReleases is how many Releases of a federation stay on the hub.
const keptReleases = 10

// enforce puts a plan in force. The order is what makes status truthful: first memory, so that nothing is judged by
// the old plan any more; then the ledger says Progressing about the new revision; only then is anything delivered.
func (e *engine) enforce(ctx context.Context, f *federation, b basis, release *v1alpha1.Release, plan *propagate.Plan) error {
	plan.Digest() // renders everything, before anybody has to wait for it
	_, interpreted := plan.Interpreters()
	learned := f.interpreted() != interpreted
	last := f.inLedger()
	carried := func(id manifest.ID) bool { return plan.UnchangedSince(last, id) }
	touched := f.adopt(b, release, plan)
	if err := e.tellLeft(ctx, f); err != nil {
		return err
	}
	if asksMore := f.asksMore(); learned || asksMore {
		e.lookAgain(f)
	}
	changed, err := e.announce(ctx, f, carried)
	if err != nil {
		return err
	}
	e.deliver(f, touched, changed)
	return e.supersede(ctx, f)
}

// lookAgain has everything listed anew: what was seen was judged by other knowledge about kinds, and only the judgement
// was kept.
func (e *engine) lookAgain(f *federation) {
	f.mu.Lock()
	clusters := f.clusters()
	f.mu.Unlock()
	for _, c := range clusters {
		if b := e.bulkhead(c); b != nil {
			b.unwatch(f.key)
			f.unlist(c)
		}
	}
}

// deliver has every cluster delivered that can be reached.
func (e *engine) deliver(f *federation, touched, changed map[manifest.ID]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.announced, f.starting = true, false
	f.hasten(changed)
	for c := range f.legs {
		if b := e.bulkhead(c); b != nil {
			b.enqueue(f.key)
		}
	}
	if len(changed) <= bulk { // else what is changed is told of when it is delivered: its generation says already that it is not
		maps.Copy(touched, changed)
	}
	if !f.bulk {
		maps.Copy(touched, f.unwritten)
	}
	maps.Copy(touched, f.waiting) // and what was to be told while that could not be
	e.reporter.begun(f, maps.Keys(touched))
	e.endBulk(f) // at once, if no cluster can be reached
}

// hasten notes whether many objects are changed, and which few are while many still are under way. The caller holds f.mu.
func (f *federation) hasten(changed map[manifest.ID]bool) {
	switch {
	case len(changed) > bulk:
		f.bulk, f.bulkSince, f.urgent = true, time.Now(), nil
	case f.bulk:
		urgent := maps.Clone(changed)
		if len(f.urgent)+len(urgent) <= bulk {
			maps.Copy(urgent, f.urgent)
		}
		f.urgent = urgent
	}
}

// adopt replaces the plan in memory and interrupts the deliveries of the old one. It returns the objects of which more
// changes than what is decided about them: those with errors, which are forgiven, and at first all.
func (f *federation) adopt(b basis, release *v1alpha1.Release, plan *propagate.Plan) map[manifest.ID]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	touched := map[manifest.ID]bool{}
	if f.plan == nil || !f.announced { // the first, or one after another that was not announced to its end
		for id := range f.objects {
			touched[id] = true
		}
	}
	f.basis, f.decided, f.plan, f.announced, f.unread = b, time.Now(), plan, false, ""
	f.refused, f.proposed = nil, nil
	f.revision, f.allowPrune = b.revision, b.allowPrune
	f.evaluate(b.generation)
	f.succeed(release)
	// After a restart the plan is the one whose status stands in the ledger; anything else begins anew, and so does one that
	// was only approved now, or is not refused any more.
	known := f.release.Spec.PlanDigest == plan.Digest() && f.release.Status.SupersededBy == "" &&
		f.release.Status.ObservedGeneration == f.release.Generation &&
		!withheld(f.release)
	f.starting = !known
	f.release.Spec.PlanDigest = plan.Digest()
	f.restage()
	covered := map[string]bool{}
	for _, c := range plan.Clusters() {
		covered[c] = true
		if f.legs[c] == nil {
			f.legs[c] = newLeg(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: c}}, f.proven)
		}
	}
	for c, l := range f.legs {
		if !covered[c] { // it left the fleet: hands off what is there
			l.end()
			f.left = append(f.left, l.delivery)
			delete(f.legs, c)
			continue
		}
		for id := range l.errors {
			touched[id] = true
		}
		f.stage(l)
	}
	maps.DeleteFunc(f.proven, func(id manifest.ID, _ live.Accepted) bool { return plan.Manifest(id) == nil })
	return touched
}

// end interrupts the delivery under way.
func (l *leg) end() {
	if l.cancel != nil {
		l.cancel()
	}
}

func (l *leg) adopt(target propagate.ClusterPlan) {
	l.end()
	l.target = target
	l.run = status.Run{}
	clear(l.errors)
	clear(l.wants)
	for _, p := range target.Objects {
		l.listed = l.listed && l.kinds[p.GVK.GroupKind()]
		l.wants.set(p.ID, want{digest: p.Digest, held: p.Held, object: p.Rendered, implied: p.Implied})
	}
	for _, x := range target.Failed {
		l.wants.set(x.ID, want{held: x.Held, err: x.Err.Error()})
	}
}

// succeed makes release the newest. One that was there already (the same commit again, after a force-push back, or
// after a restart) goes on from what it was.
func (f *federation) succeed(release *v1alpha1.Release) {
	release.OwnerReferences = f.owner()
	if f.release != nil {
		f.releases = slices.Insert(f.releases, 0, *f.release)
	}
	i := slices.IndexFunc(f.releases, func(r v1alpha1.Release) bool { return r.Name == release.Name })
	if i >= 0 {
		old := f.releases[i]
		release.Status, release.Generation, release.UID, release.Spec.PlanDigest = old.Status, old.Generation, old.UID, old.Spec.PlanDigest
		f.releases = slices.Delete(f.releases, i, i+1)
	}
	f.release, f.untold = release, false
}

// putRelease puts the newest Release, and judges it by the generation that the ledger gave it: nothing is claimed of it
// that was true of an older one.
func (e *engine) putRelease(ctx context.Context, f *federation, release *v1alpha1.Release) error {
	if err := e.store.Put(ctx, release); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.release.Name != release.Name {
		return nil // overtaken
	}
	f.release.Generation, f.release.UID, f.release.CreationTimestamp = release.Generation, release.UID, release.CreationTimestamp
	f.judgeRelease()
	return nil
}

// remember keeps what the ledger answered to a Put.
func (f *federation) remember(obj client.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch o := obj.(type) {
	case *v1alpha1.FederatedObject:
		if kept := f.objects[o.Spec.Template.ID()]; kept != nil {
			o.Status = kept.Status
		}
		f.objects[o.Spec.Template.ID()] = o
	case *v1alpha1.Delivery:
		if l := f.legs[o.Spec.Cluster]; l != nil && l.delivery.Spec == o.Spec {
			o.Status = l.delivery.Status // the newest status may not have been written yet
			l.delivery, l.stale = o, false
		}
	}
}

// undecided are the FederatedObjects of objects that left Git or lost their policy, and the Deliveries to clusters that
// left the fleet. They are forgotten here, before they are deleted: what is forgotten is not written again.
func (f *federation) undecided(decided map[manifest.ID]bool) []client.Object {
	f.mu.Lock()
	defer f.mu.Unlock()
	var gone []client.Object
	for _, d := range f.left {
		if d.Name != "" {
			gone = append(gone, d)
		}
	}
	f.left = nil
	for id, o := range f.objects {
		if !decided[id] {
			if !f.unwritten[id] {
				gone = append(gone, o)
			}
			delete(f.objects, id)
			delete(f.unwritten, id)
		}
	}
	return gone
}

// restore takes back a record that could not be deleted, so that the next try finds it.
func (f *federation) restore(record client.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch record := record.(type) {
	case *v1alpha1.FederatedObject:
		f.objects[record.Spec.Template.ID()] = record
	case *v1alpha1.Delivery:
		f.left = append(f.left, record)
	}
}

// supersede marks the older Releases and drops those beyond the number that is kept.
func (e *engine) supersede(ctx context.Context, f *federation) error {
	f.mu.Lock()
	name, older := f.release.Name, slices.Clone(f.releases)
	f.mu.Unlock()
	var kept []v1alpha1.Release
	var errs []error
	for i, r := range older {
		if i >= keptReleases-1 {
			errs = append(errs, e.store.Delete(ctx, &r))
			continue
		}
		if before := r.Status; before.SupersededBy == "" {
			if err := e.reporter.superseded(ctx, &r, name); err != nil {
				errs, r.Status = append(errs, err), before // by the next one
			}
		}
		kept = append(kept, r)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.releases = kept
	return errors.Join(errs...)
}
