package state

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// IngestReport takes over what the replica that owns a cluster reports about it. What it reports about an assignment is
// merged once that is the current one.
func (f *Federation) IngestReport(r *v1alpha1.DeliveryReport, now time.Time) (c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[r.Spec.Cluster]
	if l == nil {
		return c
	}
	r.Status.ApplyResult.Inventory = f.share(r.Status.ApplyResult.Inventory)
	touched := l.ingest(r)
	if f.ingestDiscovered(l, r) {
		c.Replan = append(c.Replan, f.key)
	}
	f.updateObjectsOn(&c, touched, r.Spec.Cluster)
	f.mergeReport(&c, l, now)
	return c
}

// ingest takes over the live objects of a report. It returns those that changed.
func (l *cluster) ingest(r *v1alpha1.DeliveryReport) map[manifest.ID]bool {
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
		if l.ingestObject(id, o) {
			touched[id] = true
		}
	}
	for id := range l.live.All() {
		if !there[id] {
			l.live.Delete(id)
			l.reports.Delete(id)
			delete(l.gateStatus, id)
			touched[id] = true
		}
	}
	l.report = &kept
	if l.specDirty || r.Status.ObservedDelivery != AssignmentID(l.delivery) { // otherwise mergeReport takes over the inventory as it is
		l.delivery.Status.Inventory = union(l.delivery.Status.Inventory, r.Status.ApplyResult.Inventory)
	}
	return touched
}

// ingestObject takes over one live object, and reports whether it changed. A report has no digest of a Secret: the known
// digest stays.
func (l *cluster) ingestObject(id manifest.ID, o v1alpha1.ReportedObject) (changed bool) {
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
	changed = !known || o.Answers != nil || before != report
	l.live.Put(id, seen)
	l.reports.Put(id, report)
	l.setGateStatus(id, mapOf(o.Answers))
	return changed
}

// ingestDiscovered takes over objects that a cluster has without a record on the hub. It reports whether the plan has to
// be made again with them. Once it was, the replica that owns the cluster learns that from the inventory of the
// Delivery.
func (f *Federation) ingestDiscovered(l *cluster, r *v1alpha1.DeliveryReport) (replan bool) {
	x := f.discovered[l.name]
	l.reportedInventory = nil
	if len(r.Status.DiscoveredObjects) == 0 {
		if x != nil && x.planned && x.since != f.active.plan {
			delete(f.discovered, l.name) // the hub has a record of it from now on
		}
		return false
	}
	if x == nil {
		x = &discovery{}
		for _, o := range r.Status.DiscoveredObjects {
			if id, err := manifest.ParseEntry(o.Object); err == nil {
				x.objects = append(x.objects, live.Discovered{ID: id, Replicas: o.Replicas, Completions: o.Completions})
			}
		}
		f.discover(l.name, x)
	}
	if !x.planned || x.since == f.active.plan {
		return true
	}
	l.reportedInventory = live.Entries(x.objects)
	return false
}

// mergeReport applies a replica's report once it refers to the current assignment.
func (f *Federation) mergeReport(c *Changes, l *cluster, now time.Time) {
	if l.report == nil || l.specDirty || l.report.Status.ObservedDelivery != AssignmentID(l.delivery) {
		return
	}
	touched, listed := l.merge(), l.listed
	if l.report.Status.Synced {
		l.list(l.targetKinds())
	}
	for id := range touched {
		f.updateObject(c, id, 0)
	}
	if l.listed && !listed {
		f.flushWaiting(c, l.name)
	}
	f.endBulk(c, now)
}

// merge takes over the result of the current assignment. It returns the objects that changed.
func (l *cluster) merge() map[manifest.ID]bool {
	touched := map[manifest.ID]bool{}
	for entry, o := range l.report.Status.Objects {
		id, _ := manifest.ParseEntry(entry) // ingest parsed it before
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
	run := l.report.Status.ApplyResult
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
	if l.reportedInventory != nil {
		l.run.Inventory = l.reportedInventory
	}
	l.terminal = run.Terminal
	return touched
}

// targetKinds returns the kinds that the replica that owns the cluster reports as listed.
func (l *cluster) targetKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, p := range l.target.Objects {
		kinds = append(kinds, p.GVK)
	}
	return kinds
}

// InheritInventories takes over the inventories that replicas recorded: they may not be in the Deliveries yet.
func (f *Federation) InheritInventories(reports []v1alpha1.DeliveryReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range reports {
		if l := f.clusters[reports[i].Spec.Cluster]; l != nil {
			l.delivery.Status.Inventory = union(l.delivery.Status.Inventory, reports[i].Status.ApplyResult.Inventory)
		}
	}
}
