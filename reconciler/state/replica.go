package state

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/deliveryreport"
	"github.com/accord-dev/accord/reconciler/state/gate"
	"github.com/accord-dev/accord/status"
)

// Several replicas share the clusters. The leader alone plans and reports; it assigns a cluster by its Delivery. The
// replica that owns the cluster makes the same plan of the same commit, compares its digest with the assigned one, and
// executes it. It writes its results and observations into the DeliveryReport, from which the leader computes status as if
// it had observed the cluster itself.

// activateAssigned makes a plan active on the clusters that were assigned with its digest. The other assignments are
// blocked, and their clusters keep their objects.
func (f *Federation) activateAssigned(a activation.Request, out *activation.Result, now time.Time) {
	same := f.active.plan == a.Plan
	if !same {
		f.keepPastPlans()
	}
	f.active.plan, f.active.revision, f.active.allowPrune, f.active.persisted = a.Plan, a.Revision, a.AllowPrune, true
	f.active.input.View.Room = a.Plan.NeedsRoom()
	f.rollouts.turns, f.rollouts.dependencies = a.Assigned.Turns, deliveryreport.Dependencies(a.Assigned.Deliveries)
	if f.rollouts.seen == nil {
		f.rollouts.seen = map[string]map[string]gate.View{}
	}
	for name, d := range a.Assigned.Deliveries {
		l := f.clusters[name]
		switch {
		case l == nil:
			l = f.addAssigned(d, a.Assigned.Inherited)
		case same && !l.Blocked && l.Assigned == deliveryreport.AssignmentID(d):
			continue
		case len(l.Inventory()) == 0 && a.Assigned.Inherited != nil:
			l.Inherit(a.Assigned.Inherited)
		}
		l.Delivery = d.DeepCopy()
		l.Blocked = d.Spec.Revision != a.Revision || f.fingerprints.Cluster(a.Plan, name) != d.Spec.Digest || a.Plan.Control() != d.Spec.ControlDigest
		if l.Blocked {
			l.Cancel()
			out.Complete = false
			continue
		}
		l.Assigned, l.BlockedSince = deliveryreport.AssignmentID(d), time.Time{}
		f.assign(l)
		f.updateCluster(&out.Changes, name, 0)
		out.Deliveries = append(out.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: name, Priority: changes.Change})
	}
}

func (f *Federation) addAssigned(d *v1alpha1.Delivery, recorded *delivery.Inherited) *delivery.State {
	l := delivery.New(d.DeepCopy(), f.shared.proven)
	l.Inherit(recorded)
	f.clusters[l.Name] = l
	return l
}

// KeepAssigned drops the clusters that are not assigned any more, or that another replica owns.
func (f *Federation) KeepAssigned(deliveries map[string]*v1alpha1.Delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, l := range f.clusters {
		if deliveries[name] == nil {
			l.Cancel()
			delete(f.clusters, name)
		}
	}
}

// Unexecuted returns the assignments that are not under way. It takes over the discovered objects
// that the leader planned with.
func (f *Federation) Unexecuted(deliveries map[string]*v1alpha1.Delivery) []*v1alpha1.Delivery {
	f.mu.Lock()
	defer f.mu.Unlock()
	var open []*v1alpha1.Delivery
	for name, d := range deliveries {
		l := f.clusters[name]
		if l == nil || l.Blocked || l.Assigned != deliveryreport.AssignmentID(d) {
			open = append(open, d)
		}
		if x := f.discovered[name]; l != nil && x != nil && len(l.Inventory()) == 0 && d.Status.InventoryCount > 0 {
			l.SetInventory(live.Entries(x.List))
			delete(f.discovered, name)
		}
	}
	return open
}

// ExecuteAgain has every assignment executed again.
func (f *Federation) ExecuteAgain() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.clusters {
		l.Assigned = ""
	}
}

// HasNew reports whether some assignments are for clusters of which this replica does not know the inventory.
func (f *Federation) HasNew(deliveries []*v1alpha1.Delivery) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(deliveries, func(d *v1alpha1.Delivery) bool {
		l := f.clusters[d.Spec.Cluster]
		return l == nil || len(l.Inventory()) == 0 && d.Status.InventoryCount > 0
	})
}

// AssignedPlan returns the active plan with its revision and prune permission, if all assignments are of that plan; nil
// otherwise.
func (f *Federation) AssignedPlan(deliveries []*v1alpha1.Delivery) (plan *propagate.Plan, revision string, allowPrune bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := &f.active
	if a.plan == nil {
		return nil, "", false
	}
	for _, d := range deliveries {
		if d.Spec.Revision != a.revision || f.fingerprints.Cluster(a.plan, d.Spec.Cluster) != d.Spec.Digest || a.plan.Control() != d.Spec.ControlDigest {
			return nil, "", false
		}
	}
	return a.plan, a.revision, a.allowPrune
}

// blockedGrace is the time for which an assignment is blocked before that is reported: the replica may lack an input that the
// leader has.
const blockedGrace = 10 * time.Second

// Block records why assignments are not executed, and reports it if that lasts. It returns how long it has lasted. A new
// cluster is left out as long as the records on the hub could not be read (inherited is nil).
func (f *Federation) Block(deliveries []*v1alpha1.Delivery, inherited *delivery.Inherited, why string, now time.Time) (lasts time.Duration, c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range deliveries {
		l := f.clusters[d.Spec.Cluster]
		if l == nil && inherited == nil {
			continue
		} else if l == nil {
			l = f.addAssigned(d, inherited)
		}
		l.Block(deliveryreport.AssignmentID(d), now)
		lasted := now.Sub(l.BlockedSince)
		lasts = max(lasts, lasted)
		if lasted > blockedGrace {
			l.Run = status.Run{Error: why}
			f.updateCluster(&c, l.Name, 0)
		}
	}
	return lasts, c
}

// DeliveryReport returns the report of a follower about a cluster that it owns, and the report that it wrote last; nil if
// there is nothing to report.
func (f *Federation) DeliveryReport(cluster string, now time.Time) (r *v1alpha1.DeliveryReport, published deliveryreport.Published, c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || l.Delivery.Name == "" || !f.registry.Owns(cluster) {
		return nil, deliveryreport.Published{}, c
	}
	f.reportContention(&c, l, now)
	r = l.DeliveryReport(f.besideDelivery(l))
	r.Status.Replica, r.Status.Connectivity = f.registry.Replica(), f.registry.Reachability(l.Name, now).Connectivity()
	r.Status.DiscoveredObjects = f.discovered[l.Name].Reported()
	return r, l.Published, c
}

// ReportWaits returns the time for which the report of an agent waits for the end of a delivery.
func (f *Federation) ReportWaits(cluster string, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil && f.discovered[cluster] == nil { // else the delivery waits for the report
		return l.Awaits(now)
	}
	return 0
}

// ReportPublished records the report as the hub has it; the zero Published if that is unknown.
func (f *Federation) ReportPublished(cluster string, published deliveryreport.Published) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.Published = published
	}
}
