package reconciler

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// Of clusters that other replicas hold, the leader knows what they report.

// takeIn takes note of what the replica that holds a cluster reports of it.
func (e *engine) takeIn(r *v1alpha1.DeliveryReport) {
	f := e.federation(types.NamespacedName{Namespace: r.Namespace, Name: r.Spec.Federation})
	if f == nil || e.follows() || e.bulkhead(r.Spec.Cluster) != nil || r.Status.Replica == e.share.replica || e.share.holders.Owner(r.Spec.Cluster) != r.Status.Replica {
		return
	}
	turned := e.hear(r)
	f.mu.Lock()
	l := f.legs[r.Spec.Cluster]
	if l == nil {
		f.mu.Unlock()
		return
	}
	r.Status.ApplyResult.Inventory = f.sharing(r.Status.ApplyResult.Inventory)
	touched := l.takeIn(r)
	if f.foundElsewhere(l, r) {
		e.replan(f.key)
	}
	e.reporter.objectsOn(f, maps.Keys(touched), slices.Values([]string{r.Spec.Cluster}))
	e.reporter.heed(f, l)
	f.mu.Unlock()
	if turned {
		e.reached(r.Spec.Cluster)
	}
}

// takeIn makes a leg what a report says of live objects; it returns those of which that is news. What the report says of an
// order is kept until that is the one in force.
func (l *leg) takeIn(r *v1alpha1.DeliveryReport) map[manifest.ID]bool {
	kept := *r
	kept.Status.Objects = map[string]v1alpha1.ReportedObject{}
	touched := map[manifest.ID]bool{}
	there := make(map[manifest.ID]bool, len(r.Status.Objects))
	for entry, o := range r.Status.Objects {
		id, err := manifest.ParseEntry(entry)
		if err != nil {
			continue // of another version of accord
		}
		there[id] = true
		if id.IsSecret() {
			kept.Status.Objects[entry] = o
		}
		if l.see(id, o) {
			touched[id] = true
		}
	}
	for id := range l.live.All() {
		if !there[id] {
			l.live.Delete(id)
			l.reports.Delete(id)
			delete(l.answers, id)
			touched[id] = true
		}
	}
	l.heard = &kept
	if l.stale || r.Status.ObservedDelivery != orderOf(l.delivery) { // else it is taken over as it is
		l.delivery.Status.Inventory = union(l.delivery.Status.Inventory, r.Status.ApplyResult.Inventory)
	}
	return touched
}

// heed takes over what a report says of the order in force, as soon as it is the one that is reported of. The caller holds f.mu.
func (r *reporter) heed(f *federation, l *leg) {
	if l.heard == nil || l.stale || l.heard.Status.ObservedDelivery != orderOf(l.delivery) {
		return
	}
	touched, listed := l.heed(), l.listed
	if l.heard.Status.Synced {
		l.list(l.wantedKinds())
	}
	for id := range touched {
		r.add(entry{federation: f.key, object: id}, 0)
	}
	if l.listed && !listed {
		r.objectsOn(f, maps.Keys(f.waiting), slices.Values([]string{l.cluster}))
		clear(f.waiting)
	}
	r.engine.endBulk(f)
}

// heed returns the objects of which there is news in what is reported of an order.
func (l *leg) heed() map[manifest.ID]bool {
	touched := map[manifest.ID]bool{}
	for entry, o := range l.heard.Status.Objects {
		id, _ := manifest.ParseEntry(entry) // as it was read before
		digest := ""
		if o.Digest == v1alpha1.DigestWanted {
			digest = l.wants.of(id).digest
		}
		if seen, _ := l.live.Get(id); seen.Digest != digest {
			report, _ := l.reports.Get(id)
			seen.Digest, report.Digest = digest, digest
			l.live.Put(id, seen)
			l.reports.Put(id, report)
			touched[id] = true
		}
	}
	run := l.heard.Status.ApplyResult
	errors := map[manifest.ID]string{}
	for entry, message := range run.Errors {
		if id, err := manifest.ParseEntry(entry); err == nil {
			errors[id] = message
		}
	}
	for id, message := range errors {
		if l.errors[id] != message {
			touched[id] = true
		}
	}
	for id := range l.errors {
		if _, still := errors[id]; !still {
			touched[id] = true
		}
	}
	l.errors = errors
	l.run = status.Run{
		Started: run.Started, Finished: run.Finished, Error: run.Error, PruneBlocked: run.PruneBlocked,
		Drift: run.Drift, Contended: run.ContendedObjects, Inventory: orEmpty(run.Inventory), Orphaned: orEmpty(run.Orphaned),
	}
	if x := l.found; x != nil {
		l.run.Inventory = x
	}
	l.news.final = run.Terminal
	return touched
}

// wantedKinds are those of which the replica that holds the cluster says that it listed them.
func (l *leg) wantedKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, p := range l.target.Objects {
		kinds = append(kinds, p.GVK)
	}
	return kinds
}

// see takes note of one object as it was reported; it says whether that is news. The digest of a Secret is not reported: it
// is what it was.
func (l *leg) see(id manifest.ID, o v1alpha1.ReportedObject) (news bool) {
	digest := o.Digest
	if id.IsSecret() {
		before, _ := l.live.Get(id)
		digest = before.Digest
	}
	seen := live.Object{
		GVK: schema.GroupVersionKind{Group: id.Group, Version: o.Version, Kind: id.Kind}, Digest: digest,
		Labels: o.Labels, Preserve: o.Preserve, Adopted: o.Adopted,
	}
	report := status.Report{
		Digest: digest, Generation: o.Generation, ObservedGeneration: o.ObservedGeneration, Observes: o.Observes,
		Health: kind.Health(o.Health), Message: o.Message, Status: status.Reflect(mapOf(o.Status)),
	}
	before, known := l.reports.Get(id)
	news = !known || o.Answers != nil || before != report
	l.live.Put(id, seen)
	l.reports.Put(id, report)
	l.answer(id, mapOf(o.Answers))
	return news
}

// foundElsewhere takes note of what a cluster has that nothing on the hub told of; it says whether the plan in force has to
// be made again with it. When it was, the replica that holds the cluster learns so from the inventory of the Delivery. The
// caller holds f.mu.
func (f *federation) foundElsewhere(l *leg, r *v1alpha1.DeliveryReport) (replan bool) {
	x := f.finds[l.cluster]
	l.found = nil
	if len(r.Status.DiscoveredObjects) == 0 {
		if x != nil && x.told && x.since != f.plan {
			delete(f.finds, l.cluster) // what is there from now on stands in the ledger
		}
		return false
	}
	if x == nil {
		x = &find{}
		for _, o := range r.Status.DiscoveredObjects {
			if id, err := manifest.ParseEntry(o.Object); err == nil {
				x.objects = append(x.objects, live.Discovered{ID: id, Replicas: o.Replicas, Completions: o.Completions})
			}
		}
		if f.finds == nil {
			f.finds = map[string]*find{}
		}
		f.finds[l.cluster] = x
	}
	if !x.told || x.since == f.plan {
		return true
	}
	l.found = live.Entries(x.objects)
	return false
}

// mapOf is nil for nothing.
func mapOf(raw *apiextensionsv1.JSON) map[string]any {
	if raw == nil {
		return nil
	}
	var m map[string]any
	if json.Unmarshal(raw.Raw, &m) != nil {
		return nil // the hub has checked that it is an object
	}
	return m
}

// reportStore takes in reports as they come. Nothing is kept of one but what is judged.
type reportStore struct{ engine *engine }

// Add is cache.ReflectorStore's.
func (s reportStore) Add(obj any) error {
	if r, ok := obj.(*v1alpha1.DeliveryReport); ok {
		s.engine.takeIn(r)
	}
	return nil
}

// Update is Add.
func (s reportStore) Update(obj any) error { return s.Add(obj) }

// Delete does nothing: what was reported stays what was known last, until the replica that holds the cluster says more.
func (s reportStore) Delete(any) error { return nil }

// Replace adds all.
func (s reportStore) Replace(all []any, _ string) error {
	for _, obj := range all {
		_ = s.Add(obj) // never fails
	}
	return nil
}

// Resync does nothing.
func (s reportStore) Resync() error { return nil }
