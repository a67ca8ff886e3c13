package state

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/staged"
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

// Assigned has the assignments of a follower.
type Assigned struct {
	Deliveries map[string]*v1alpha1.Delivery // by cluster
	// Turns by cluster and rollout.
	Turns map[string]map[string]staged.Assignment
	// Inventories are those that the previous owners of clusters recorded, by cluster.
	Inventories map[string][]string
}

// activateAssigned makes a plan active on the clusters that were assigned with its digest. The other assignments are
// blocked, and their clusters keep their objects.
func (f *Federation) activateAssigned(a Activation, out *Activated, now time.Time) {
	same := f.active.plan == a.Plan
	if !same {
		f.keepPastPlans()
	}
	f.active.plan, f.active.revision, f.active.allowPrune, f.active.persisted = a.Plan, a.Revision, a.AllowPrune, true
	f.active.input.View.Room = a.Plan.NeedsRoom()
	f.rollouts.turns, f.rollouts.dependencies = a.Assigned.Turns, dependenciesIn(a.Assigned.Deliveries)
	if f.rollouts.seen == nil {
		f.rollouts.seen = map[string]map[string]gate.View{}
	}
	for name, d := range a.Assigned.Deliveries {
		l := f.clusters[name]
		switch {
		case l == nil:
			l = f.addAssigned(d, a.Assigned.Inventories[name])
		case same && !l.Blocked && l.Assigned == deliveryreport.AssignmentID(d):
			continue
		}
		inventory := l.Inventory()
		l.Delivery = d.DeepCopy()
		l.Delivery.Status.Inventory = inventory
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

// dependenciesIn returns, by cluster and rollout, the objects that are there because others need them.
func dependenciesIn(deliveries map[string]*v1alpha1.Delivery) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	for name, d := range deliveries {
		all[name] = map[string][]string{}
		for _, r := range d.Status.Rollouts {
			all[name][r.Policy] = r.Dependencies
		}
	}
	return all
}

func (f *Federation) addAssigned(d *v1alpha1.Delivery, inventory []string) *delivery.State {
	l := delivery.New(d.DeepCopy(), f.shared.proven)
	l.Delivery.Status.Inventory = delivery.Union(d.Status.Inventory, inventory)
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

// Unexecuted returns the assignments that are not under way. It takes over inventories that the leader discovered.
func (f *Federation) Unexecuted(deliveries map[string]*v1alpha1.Delivery) []*v1alpha1.Delivery {
	f.mu.Lock()
	defer f.mu.Unlock()
	var open []*v1alpha1.Delivery
	for name, d := range deliveries {
		l := f.clusters[name]
		if l == nil || l.Blocked || l.Assigned != deliveryreport.AssignmentID(d) {
			open = append(open, d)
		}
		if l != nil && len(l.Inventory()) == 0 && len(d.Status.Inventory) > 0 {
			l.Delivery.Status.Inventory = d.Status.Inventory
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

// HasNew reports whether some assignments are for clusters that this replica did not own before.
func (f *Federation) HasNew(deliveries []*v1alpha1.Delivery) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(deliveries, func(d *v1alpha1.Delivery) bool { return f.clusters[d.Spec.Cluster] == nil })
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
// cluster is left out as long as its inventory could not be read (inventories is nil).
func (f *Federation) Block(deliveries []*v1alpha1.Delivery, inventories map[string][]string, why string, now time.Time) (lasts time.Duration, c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range deliveries {
		l := f.clusters[d.Spec.Cluster]
		if l == nil && inventories == nil {
			continue
		} else if l == nil {
			l = f.addAssigned(d, inventories[d.Spec.Cluster])
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
	return f.deliveryReport(l, now), l.Published, c
}

// ReportPublished records the report as the hub has it; the zero Published if that is unknown.
func (f *Federation) ReportPublished(cluster string, published deliveryreport.Published) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.Published = published
	}
}

func (f *Federation) deliveryReport(l *delivery.State, now time.Time) *v1alpha1.DeliveryReport {
	r := &v1alpha1.DeliveryReport{
		ObjectMeta: f.meta(l.Delivery.Name), Spec: v1alpha1.DeliveryReportSpec{Federation: f.key.Name, Cluster: l.Name},
		Status: l.ReportStatus(),
	}
	r.Labels[v1alpha1.ClusterLabel] = l.Name
	r.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "Delivery", Name: l.Delivery.Name, UID: l.Delivery.UID,
	}}
	r.Status.Replica, r.Status.Connectivity = f.registry.Replica(), f.registry.Reachability(l.Name, now).Connectivity()
	r.Status.DiscoveredObjects = f.discovered[l.Name].Reported()
	return r
}
