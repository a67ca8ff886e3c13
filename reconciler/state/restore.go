package state

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/gate"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/reconciler/state/unobserved"
)

// After a restart the newest revision may not become active: its source cannot be read, it is invalid or parked, or the Federation is
// suspended. Then the delivered plan is made again from the recorded commits: nothing is reported that this process has not observed.

// RecordedRevision returns the revision of the recorded Deliveries while no plan is active; false if there is none.
func (f *Federation) RecordedRevision() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != nil || len(f.clusters) == 0 {
		return "", false
	}
	return delivery.Revision(delivery.All(f.clusters)), true
}

// RestorePlan makes the plan of the recorded Deliveries active. It changes nothing and returns false unless that plan became
// active last. The hub has its records, unless the process before this one was interrupted while it activated evictions.
func (f *Federation) RestorePlan(plan *propagate.Plan, revision string, allowPrune bool, now time.Time) (c changes.Changes, restored bool) {
	plan.Digest() // renders everything, before anything waits for the lock
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != nil {
		return c, true
	}
	covered := plan.Clusters()
	match := unobserved.Matches(f.releases(), plan, revision, slices.DeleteFunc(slices.Clone(covered), func(c string) bool { return !f.changes(c, plan) }))
	left := slices.ContainsFunc(f.names(), func(c string) bool { return !slices.Contains(covered, c) })
	if left || match == unobserved.Different || match == unobserved.Interrupted && f.declared.object.Spec.Suspend {
		return c, false
	}
	f.active.plan, f.active.decidedAt, f.active.revision, f.active.allowPrune = plan, now, revision, allowPrune
	f.active.persisted, f.active.evicting, f.active.restored = match == unobserved.Same, match == unobserved.Interrupted, true
	if older := f.records.older; f.records.release == nil && len(older) > 0 && older[0].Spec.Revision == revision {
		f.records.release, f.records.older = older[0].DeepCopy(), older[1:]
	}
	f.rollouts.asks = gate.NeedsOf(plan)
	f.restage(now)
	for name, l := range f.clusters {
		f.assign(l)
		c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: name, Priority: changes.Repair})
	}
	f.evictions.Watch(f.declared.object.Spec.Failover, plan, record.Carried{})
	c.Evictions = append(c.Evictions, f.key)
	f.updateObjects(&c, f.objectIDs())
	return c, true
}

// Unobserved returns copies of the records that claim something about clusters, with statuses that claim nothing. If a plan is active, these
// are Releases only: that of a restored plan is not the newest, and nobody reports it. why is the reason. UnobservedWritten follows.
func (f *Federation) Unobserved(why string, now time.Time) []changes.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != nil {
		return unobserved.Releases(f.releases(), nil, f.records.release, why, now)
	}
	deliveries := make([]*v1alpha1.Delivery, 0, len(f.clusters))
	for _, name := range f.names() {
		deliveries = append(deliveries, f.clusters[name].Delivery)
	}
	return unobserved.Records(deliveries, f.records.objects.All(), f.releases(), why, now)
}

// UnobservedWritten records the status of a record as Unobserved returned it and the hub has it.
func (f *Federation) UnobservedWritten(record changes.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r := record.(type) {
	case *v1alpha1.Delivery:
		if l := f.clusters[r.Spec.Cluster]; l != nil && f.active.plan == nil {
			l.Delivery.Status = r.Status
		}
	case *v1alpha1.FederatedObject:
		if f.records.objects.Of(r.Spec.Template.ID()) != nil && f.active.plan == nil {
			f.records.objects.Set(r)
		}
	case *v1alpha1.Release:
		for _, known := range f.releases() {
			if known.Name == r.Name {
				known.Status = r.Status
			}
		}
	}
}
