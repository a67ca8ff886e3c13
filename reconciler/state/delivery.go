package state

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Job is one delivery: what was wanted on one cluster when it began. It is a value; the executor passes it back with the
// result.
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

	staging *propagate.StagedPlan // nil without rollouts
	cluster *cluster
}

// Begin starts a delivery to a cluster; cancel ends it when a newer plan is activated. It returns false if there is
// nothing to deliver: no plan, one that is not persisted, or an assignment that cannot be executed.
func (f *Federation) Begin(cluster string, cancel func()) (Job, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || !f.active.persisted || l.blocked {
		return Job{}, false
	}
	l.cancel = cancel
	inventory, err := f.readInventory(l.inventory())
	return Job{
		Federation: f.key.String(), Plan: f.active.plan, Target: l.target, Spec: f.declared.object.Spec, AllowPrune: f.active.allowPrune,
		Inventory: inventory, InventoryError: err, First: f.bulk.urgent, Recalled: l.recalled, staging: f.staging(l), cluster: l,
	}, true
}

// Kinds returns the kinds of the wanted and of the delivered objects, one version each.
func (j Job) Kinds() []schema.GroupVersionKind {
	versions := map[schema.GroupKind]schema.GroupVersionKind{}
	for _, kind := range j.Inventory.Kinds() {
		versions[kind] = kind.WithVersion("") // the version that the cluster serves
	}
	for _, p := range j.Target.Objects {
		versions[p.GVK.GroupKind()] = p.GVK
	}
	return slices.Collect(maps.Values(versions))
}

// Withdraw returns why an object that is there and not wanted stays; empty if it may go.
func (j Job) Withdraw(id manifest.ID, labels map[string]string) string {
	if j.staging != nil {
		return j.staging.KeepReason(id, labels)
	}
	return j.Plan.KeepReason(j.cluster.name, id, labels)
}

// Listed records that the watches have listed the kinds of a delivery.
func (f *Federation) Listed(j Job, kinds []schema.GroupVersionKind) (c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan == j.Plan && j.cluster.list(kinds) {
		f.flushWaiting(&c, j.cluster.name)
	}
	return c
}

// flushWaiting updates the objects whose status waits for a cluster to be listed.
func (f *Federation) flushWaiting(c *Changes, cluster string) {
	f.updateObjectsOn(c, f.records.waiting, cluster)
	clear(f.records.waiting)
}

// list records that the observation of some kinds is complete, and that no other kind is wanted. It returns false if
// that was known.
func (l *cluster) list(kinds []schema.GroupVersionKind) bool {
	known := l.listed
	l.listed, l.kinds = true, map[schema.GroupKind]bool{}
	for _, gvk := range kinds {
		l.kinds[gvk.GroupKind()] = true
	}
	return !known
}

// Live returns a copy of the observed objects of the delivery's cluster, which the delivery brings up to date, and the
// contended objects that it does not repair now.
func (f *Federation) Live(j Job, now time.Time) (observed *live.Objects, spare map[manifest.ID]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(j.cluster.drifted)
	return j.cluster.live.Clone(), j.cluster.spare(now)
}

// RecordInventory records an inventory before any of its objects is written to the cluster.
func (f *Federation) RecordInventory(j Job, inventory []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := j.cluster
	l.run.Started, l.run.Inventory, l.absences.recorded = true, f.share(inventory), true
}

// Result is the result of one delivery attempt.
type Result struct {
	// Error is why the attempt failed as a whole; empty if it ran to its end.
	Error string
	// Failure is the reason for metrics; empty if the attempt succeeded. Terminal is set if a retry does not help.
	Failure  string
	Terminal bool
	// Down is set if the cluster became unreachable.
	Down bool
	// Cancelled is set if a newer plan ended the attempt: then only Answers count.
	Cancelled bool

	Errors     map[manifest.ID]string
	Answers    map[manifest.ID]live.Answer
	Drift      []live.Drift
	Spared     []manifest.ID
	Recreated  []manifest.ID
	Orphaned   map[manifest.ID]string
	PruneBlock string
	Inventory  []string
}

// Conclude records the result of a delivery.
func (f *Federation) Conclude(j Job, r Result, now time.Time) (c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := j.cluster
	l.live.Settle(r.Answers) // true of the cluster, whatever is wanted now
	if r.Cancelled {
		return c
	}
	l.cancel = nil
	r.Drift, r.Inventory = l.absences.drift(r), f.share(r.Inventory)
	l.counts.Add(r.Failure, r.Drift)
	l.terminal = r.Terminal
	f.contend(&c, l, r, now)
	if f.active.plan == j.Plan {
		touched := l.conclude(r)
		f.updateObjectsOn(&c, touched, l.name)
		f.endBulk(&c, now)
		f.repairDrifted(&c, l, now)
	}
	if about := f.clusters[l.name]; about != nil && !r.Down {
		c.drift(about.delivery.DeepCopy(), r.Drift)
	}
	return c
}

// conclude takes over a result. It returns the objects that have an error, or had one.
func (l *cluster) conclude(r Result) (touched map[manifest.ID]bool) {
	touched = map[manifest.ID]bool{}
	l.run.Started, l.run.Finished = true, r.Error == ""
	l.run.PruneBlocked, l.run.Error = r.PruneBlock, r.Error
	if r.Error != "" {
		return touched
	}
	l.run.Inventory, l.run.Orphaned = orEmpty(r.Inventory), orphans(r.Orphaned)
	for _, d := range r.Drift {
		l.run.Drift = remember(l.run.Drift, describe(d))
	}
	for id := range l.errors {
		touched[id] = true
	}
	clear(l.errors)
	for id, err := range r.Errors {
		l.errors[id] = err
		touched[id] = true
	}
	return touched
}

// orphans lists what stays although it is not wanted.
func orphans(reasons map[manifest.ID]string) []string {
	list := []string{}
	for id, why := range reasons {
		list = append(list, id.String()+": "+why)
	}
	slices.Sort(list)
	return list
}

// orEmpty distinguishes an empty inventory from none.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
