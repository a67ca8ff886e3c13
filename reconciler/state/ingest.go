package state

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
)

// IngestReport takes over the report of the replica that owns a cluster. The part about an assignment is merged once that assignment
// is the current one.
func (f *Federation) IngestReport(r *v1alpha1.DeliveryReport, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[r.Spec.Cluster]
	if l == nil {
		return c
	}
	r.Status.ApplyResult.Inventory = delivery.Shared(f.clusters, r.Status.ApplyResult.Inventory)
	touched := l.Ingest(r)
	var replan bool
	if l.ReportedInventory, replan = f.discovered.Ingest(l.Name, r.Status.DiscoveredObjects, f.active.plan); replan {
		c.Replan = append(c.Replan, f.key)
	}
	f.mergeReport(&c, l, now)
	for id := range touched {
		f.checkEvictions(&c, id)
	}
	f.updateObjectsOn(&c, touched, r.Spec.Cluster)
	return c
}

// mergeReport applies a replica's report once it refers to the current assignment.
func (f *Federation) mergeReport(c *changes.Changes, l *delivery.State, now time.Time) {
	if !l.Reported() {
		return
	}
	touched, listed := l.Merge(), l.Listed
	if l.Report.Status.Synced {
		l.MarkListed(l.ReportedKinds())
	}
	f.endBulk(c, now)
	for id := range touched {
		f.checkEvictions(c, id)
		f.updateObject(c, id, 0)
	}
	if l.Listed && !listed {
		f.flushWaiting(c, l.Name)
		c.Evictions = append(c.Evictions, f.key)
	}
}

// InheritInventories takes over the inventories that replicas recorded: they may not be in the Inventories yet.
func (f *Federation) InheritInventories(reports []v1alpha1.DeliveryReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delivery.InheritInventories(f.clusters, reports)
}
