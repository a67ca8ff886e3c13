package state

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/drift"
)

// Job is one delivery: the objects that were wanted on one cluster when it began. It is a value; the executor passes it back with
// the result.
type Job struct {
	Federation string // "<namespace>/<name>"
	Plan       *propagate.Plan
	Target     propagate.ClusterPlan
	Spec       v1alpha1.FederationSpec
	AllowPrune bool
	Inventory  *live.Inventory
	// InventoryError is set if the recorded inventory cannot be read: then nothing is delivered.
	InventoryError error
	// First are the objects that a newer change touches while a bulk is delivered.
	First map[manifest.ID]bool
	// Recalled is set once the cluster was asked for objects that the hub has no record of.
	Recalled bool

	staging *staged.Plan // nil without rollouts
	cluster *delivery.State
}

// Begin starts a delivery to a cluster; cancel ends it when a newer plan is activated. It returns false if there is
// nothing to deliver: no plan, one that is not persisted, or an assignment that cannot be executed.
func (f *Federation) Begin(cluster string, cancel func()) (Job, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || !f.active.persisted || l.Blocked {
		return Job{}, false
	}
	l.CancelRun = cancel
	inventory, err := f.shared.inventory.Parse(l.Inventory())
	if l.Unreadable != nil {
		err = l.Unreadable
	}
	return Job{
		Federation: f.key.String(), Plan: f.active.plan, Target: l.Target, Spec: f.declared.object.Spec, AllowPrune: f.active.allowPrune,
		Inventory: inventory, InventoryError: err, First: f.bulk.Urgent, Recalled: l.Recalled, staging: f.staging(l), cluster: l,
	}, true
}

// Kinds returns the kinds of the wanted and of the delivered objects, one version each.
func (j Job) Kinds() []schema.GroupVersionKind {
	versions := map[schema.GroupKind]schema.GroupVersionKind{}
	for _, kind := range j.Inventory.Kinds() {
		versions[kind] = kind.WithVersion("") // the version that the cluster serves
	}
	var last schema.GroupVersionKind // plans are in the order of kinds
	for _, p := range j.Target.Objects {
		if p.GVK != last {
			versions[p.GVK.GroupKind()], last = p.GVK, p.GVK
		}
	}
	return slices.Collect(maps.Values(versions))
}

// Withdraw returns why an object that is there and not wanted stays; empty if it may go.
func (j Job) Withdraw(id manifest.ID, labels map[string]string) string {
	if j.staging != nil {
		return j.staging.KeepReason(id, labels)
	}
	return j.Plan.KeepReason(j.cluster.Name, id, labels)
}

// Listed records that the watches have listed the kinds of a delivery.
func (f *Federation) Listed(j Job, kinds []schema.GroupVersionKind) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan == j.Plan && j.cluster.MarkListed(kinds) {
		f.flushWaiting(&c, j.cluster.Name)
		c.Evictions = append(c.Evictions, f.key)
	}
	return c
}

// flushWaiting updates the objects whose status waits for a cluster to be listed.
func (f *Federation) flushWaiting(c *changes.Changes, cluster string) {
	f.updateObjectsOn(c, f.records.waiting, cluster)
	clear(f.records.waiting)
}

// Live returns a copy of the observed objects of the delivery's cluster, which the delivery brings up to date, their difference
// from its target, nil if another one is wanted by now, and the contended objects that it does not repair now.
func (f *Federation) Live(j Job, now time.Time) (observed *live.Objects, difference *live.Difference, spare map[manifest.ID]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(j.cluster.Drifted)
	return j.cluster.Live.Clone(), j.cluster.Difference(j.Target), j.cluster.Contention.Spared(j.cluster.WantedDigest, now)
}

// RecordInventory records an inventory before any of its objects is written to the cluster.
func (f *Federation) RecordInventory(j Job, inventory []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := j.cluster
	l.SetInventory(delivery.Shared(f.clusters, inventory))
	l.Run.Started, l.Absences.Recorded = true, true
}

// Conclude records the result of a delivery.
func (f *Federation) Conclude(j Job, r delivery.Result, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := j.cluster
	l.Settle(r.Answers) // true of the cluster, whatever is wanted now
	if r.Cancelled {
		return c
	}
	l.CancelRun = nil
	r.Drift, r.Inventory = l.Absences.Settle(r.Drift, r.Recreated, r.Answers), delivery.Shared(f.clusters, r.Inventory)
	l.Counts.Add(r.Failure, r.Drift)
	l.Terminal = r.Terminal
	f.contend(&c, l, r, now)
	if f.active.plan == j.Plan {
		touched := l.Conclude(r)
		f.updateObjectsOn(&c, touched, l.Name)
		f.endBulk(&c, now)
		f.repairDrifted(&c, l, now)
	}
	if about := f.clusters[l.Name]; about != nil && !r.Down {
		drift.AddEvents(&c, about.Delivery.DeepCopy(), r.Drift)
	}
	return c
}
