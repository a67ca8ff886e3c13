package state

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
)

// Several replicas share the clusters. The leader alone plans and reports; it assigns a cluster by its Delivery. The
// replica that owns the cluster makes the same plan of the same commit, compares its digest with the assigned one, and
// executes it. It writes what it did and observed into the DeliveryReport, from which the leader computes status as if
// it had observed the cluster itself.

// assignment is what connects a cluster with the replica that executes it.
type assignment struct {
	// assigned identifies the assignment that a follower executes. blocked is set while it cannot, since blockedSince.
	assigned     string
	blocked      bool
	blockedSince time.Time
	// published is the report that a follower wrote last.
	published Published
	// report is the last report of the replica that owns the cluster; of objects it keeps those without a public digest.
	// reportedInventory replaces its inventory while the active plan was made with discovered objects.
	report            *v1alpha1.DeliveryReport
	reportedInventory []string
}

// Assigned is what the leader assigned to a follower.
type Assigned struct {
	Deliveries map[string]*v1alpha1.Delivery // by cluster
	// Turns by cluster and rollout.
	Turns map[string]map[string]propagate.StageAssignment
	// Inventories are, by cluster, what the replicas that owned it before recorded.
	Inventories map[string][]string
}

// AssignmentID identifies what a Delivery assigns: the same writes execute two assignments with the same ID. The
// generation is part of it, so that the result of an assignment is never taken for that of a later, equal one.
func AssignmentID(d *v1alpha1.Delivery) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %s %s\n", d.UID, d.Generation, d.Spec.Revision, d.Spec.Digest)
	for _, r := range d.Status.Rollouts {
		fmt.Fprintf(h, "%q %q %d %v %t\n", r.Policy, r.Current.Digest, exact(r.UpdatedAt).UnixMicro(), r.RollbackTo, r.Held)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// activateAssigned makes a plan active on the clusters that were assigned with its digest. The other assignments are
// blocked, and what runs on their clusters stays as it is.
func (f *Federation) activateAssigned(a Activation, out *Activated, now time.Time) {
	same := f.active.plan == a.Plan
	if !same {
		f.rollouts.past = nil
	}
	f.active.plan, f.active.revision, f.active.allowPrune, f.active.persisted = a.Plan, a.Revision, a.AllowPrune, true
	f.active.input.View.Room = a.Plan.NeedsRoom()
	f.rollouts.turns, f.rollouts.dependencies = a.Assigned.Turns, dependenciesIn(a.Assigned.Deliveries)
	if f.rollouts.seen == nil {
		f.rollouts.seen = map[string]map[string]seen{}
	}
	for name, d := range a.Assigned.Deliveries {
		l := f.clusters[name]
		switch {
		case l == nil:
			l = f.addAssigned(d, a.Assigned.Inventories[name])
		case same && !l.blocked && l.assigned == AssignmentID(d):
			continue
		}
		inventory := l.inventory()
		l.delivery = d.DeepCopy()
		l.delivery.Status.Inventory = inventory
		l.blocked = d.Spec.Revision != a.Revision || f.fingerprints.Cluster(a.Plan, name) != d.Spec.Digest
		if l.blocked {
			l.end()
			out.Complete = false
			continue
		}
		l.assigned, l.blockedSince = AssignmentID(d), time.Time{}
		f.assign(l)
		f.updateCluster(&out.Changes, name, 0)
		out.Deliveries = append(out.Deliveries, DeliveryRequest{Federation: f.key, Cluster: name, Priority: Change})
	}
}

// dependenciesIn returns, by cluster and rollout, what is there for the sake of others.
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

func (f *Federation) addAssigned(d *v1alpha1.Delivery, inventory []string) *cluster {
	l := newCluster(d.DeepCopy(), f.shared.proven)
	l.delivery.Status.Inventory = union(d.Status.Inventory, inventory)
	f.clusters[l.name] = l
	return l
}

// KeepAssigned drops the clusters that are not assigned any more, or that another replica owns.
func (f *Federation) KeepAssigned(deliveries map[string]*v1alpha1.Delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, l := range f.clusters {
		if deliveries[name] == nil {
			l.end()
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
		if l == nil || l.blocked || l.assigned != AssignmentID(d) {
			open = append(open, d)
		}
		if l != nil && len(l.inventory()) == 0 && len(d.Status.Inventory) > 0 {
			l.delivery.Status.Inventory = d.Status.Inventory
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
		l.assigned = ""
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
		if d.Spec.Revision != a.revision || f.fingerprints.Cluster(a.plan, d.Spec.Cluster) != d.Spec.Digest {
			return nil, "", false
		}
	}
	return a.plan, a.revision, a.allowPrune
}

// blockedGrace is how long an assignment is blocked before that is reported: the replica may not have observed yet what
// the leader decided from.
const blockedGrace = 10 * time.Second

// Block records why assignments are not executed, and reports it if that lasts. It returns how long it has lasted. A new
// cluster is left out as long as its inventory could not be read (inventories is nil).
func (f *Federation) Block(deliveries []*v1alpha1.Delivery, inventories map[string][]string, why string, now time.Time) (lasts time.Duration, c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range deliveries {
		l := f.clusters[d.Spec.Cluster]
		if l == nil && inventories == nil {
			continue
		} else if l == nil {
			l = f.addAssigned(d, inventories[d.Spec.Cluster])
		}
		l.block(AssignmentID(d), now)
		lasted := now.Sub(l.blockedSince)
		lasts = max(lasts, lasted)
		if lasted > blockedGrace {
			l.run = status.Run{Error: why}
			f.updateCluster(&c, l.name, 0)
		}
	}
	return lasts, c
}

// block cancels the delivery of the assignment before. Its result says nothing of this one.
func (l *cluster) block(assigned string, now time.Time) {
	l.end()
	l.blocked = true
	if l.assigned == assigned && !l.blockedSince.IsZero() {
		return
	}
	l.delivery.Status.Inventory = l.inventory()
	l.assigned, l.blockedSince, l.run, l.listed = assigned, now, status.Run{}, false
	clear(l.errors)
}

// DeliveryReport returns the report of a follower about a cluster that it owns, and the report that it wrote last; nil if
// there is nothing to report.
func (f *Federation) DeliveryReport(cluster string, now time.Time) (r *v1alpha1.DeliveryReport, published Published, c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || l.delivery.Name == "" || !f.registry.Owns(cluster) {
		return nil, Published{}, c
	}
	f.reportContention(&c, l, now)
	return f.deliveryReport(l, now), l.published, c
}

// ReportPublished records the report as the hub has it; the zero Published if that is unknown.
func (f *Federation) ReportPublished(cluster string, published Published) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.published = published
	}
}

func (f *Federation) deliveryReport(l *cluster, now time.Time) *v1alpha1.DeliveryReport {
	r := &v1alpha1.DeliveryReport{
		ObjectMeta: f.meta(l.delivery.Name), Spec: v1alpha1.DeliveryReportSpec{Federation: f.key.Name, Cluster: l.name},
		Status: v1alpha1.DeliveryReportStatus{
			Replica: f.registry.Replica(), ObservedDelivery: l.assigned, Connectivity: connectivity(f.registry.Reachability(l.name, now)),
			Synced: l.listed, Objects: map[string]v1alpha1.ReportedObject{}, DiscoveredObjects: []v1alpha1.DiscoveredObject{},
			ApplyResult: v1alpha1.ApplyResult{
				Started: l.run.Started, Finished: l.run.Finished, Terminal: l.terminal, Error: l.run.Error, PruneBlocked: l.run.PruneBlocked,
				Drift: l.run.Drift, ContendedObjects: l.run.Contended, Inventory: l.inventory(), Orphaned: l.run.Orphaned,
			},
		},
	}
	r.Labels[v1alpha1.ClusterLabel] = l.name
	r.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "Delivery", Name: l.delivery.Name, UID: l.delivery.UID,
	}}
	for id, err := range l.errors {
		if r.Status.ApplyResult.Errors == nil {
			r.Status.ApplyResult.Errors = map[string]string{}
		}
		r.Status.ApplyResult.Errors[id.Entry()] = err
	}
	for id, seen := range l.live.All() {
		report, _ := l.reports.Get(id) // recorded together with the object
		r.Status.Objects[id.Entry()] = reportedObject(id, l.wants.of(id), seen, report, l.gateStatus[id])
	}
	if x := f.discovered[l.name]; x.needed() {
		for _, o := range x.objects {
			r.Status.DiscoveredObjects = append(r.Status.DiscoveredObjects, v1alpha1.DiscoveredObject{
				Object: o.ID.Entry(), Replicas: o.Replicas, Completions: o.Completions,
			})
		}
	}
	return r
}

func connectivity(reach Reachability) v1alpha1.Connectivity {
	r := v1alpha1.Connectivity{Unreachable: reach.Unreachable}
	if reach.Unreachable == "" {
		return r
	}
	if !reach.LastProbe.IsZero() {
		r.LastProbeTime = seconds(reach.LastProbe)
	}
	r.Reason = reach.Silence.Reason
	if !reach.Silence.Since.IsZero() {
		r.OpenSince = seconds(reach.Silence.Since)
		r.Retry = &metav1.Duration{Duration: reach.Silence.Retry}
	}
	return r
}

func seconds(t time.Time) *metav1.Time { return &metav1.Time{Time: t.UTC().Truncate(time.Second)} }

func reportedObject(id manifest.ID, w want, seen live.Object, r status.Report, gateStatus map[string]any) v1alpha1.ReportedObject {
	o := v1alpha1.ReportedObject{
		Version: seen.GVK.Version, Digest: seen.Digest, Generation: r.Generation, ObservedGeneration: r.ObservedGeneration, Observes: r.Observes,
		Health: string(r.Health), Message: r.Message, Status: rawOf(r.Status.Map()), Answers: rawOf(gateStatus),
		Labels: seen.Labels, Preserve: seen.Preserve, Adopted: seen.Adopted,
	}
	if id.IsSecret() {
		o.Digest = ""
		if seen.Digest == w.digest {
			o.Digest = v1alpha1.DigestWanted
		}
	}
	return o
}

// rawOf returns nil for nil.
func rawOf(m map[string]any) *apiextensionsv1.JSON {
	if m == nil {
		return nil
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil // it was read from JSON
	}
	return &apiextensionsv1.JSON{Raw: raw}
}

// mapOf returns nil for nil.
func mapOf(raw *apiextensionsv1.JSON) map[string]any {
	if raw == nil {
		return nil
	}
	var m map[string]any
	if json.Unmarshal(raw.Raw, &m) != nil {
		return nil // the hub has validated that it is an object
	}
	return m
}
