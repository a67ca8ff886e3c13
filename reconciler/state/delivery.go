package state

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/drift"
)

// Begin starts a delivery to a cluster; cancel ends it when a newer plan is activated. It returns false if there is
// nothing to deliver: no plan, one that is not persisted, or an assignment that cannot be executed.
func (f *Federation) Begin(cluster string, cancel func()) (delivery.Job, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || !f.active.persisted || l.Blocked {
		return delivery.Job{}, false
	}
	l.CancelRun = cancel
	inventory, err := f.shared.inventory.Parse(l.Inventory())
	if l.Unreadable != nil {
		err = l.Unreadable
	}
	return delivery.Job{
		Federation: f.key.String(), Orders: f.orders(l), Target: l.Target, TargetKinds: l.TargetKinds(), Spec: f.declared.object.Spec, AllowPrune: f.active.allowPrune,
		Inventory: inventory, InventoryError: err, First: f.bulk.Urgent, Recalled: l.Recalled, State: l,
	}, true
}

// orders returns the decisions that a delivery to a cluster follows.
func (f *Federation) orders(l *delivery.State) delivery.Orders {
	o := delivery.Orders{Plan: f.active.plan, Part: l.Part, Book: f.interpreters().Book, Leaving: l.Leaving}
	if l.Part == nil {
		o.Staging = f.staging(l)
	}
	return o
}

// follows reports whether a delivery followed the decisions of today.
func (f *Federation) follows(j delivery.Job) bool {
	return f.active.plan == j.Plan && j.State.Part == j.Part
}

// Listed records that the watches have listed the kinds of a delivery.
func (f *Federation) Listed(j delivery.Job, kinds []schema.GroupVersionKind) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.follows(j) && j.State.MarkListed(kinds) {
		f.flushWaiting(&c, j.State.Name)
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
func (f *Federation) Live(j delivery.Job, now time.Time) (observed *live.Objects, difference *live.Difference, spare map[manifest.ID]bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(j.State.Drifted)
	return j.State.Live.Clone(), j.State.Difference(j.Target), j.State.Contention.Spared(j.State.WantedDigest, now)
}

// RecordInventory records an inventory before any of its objects is written to the cluster.
func (f *Federation) RecordInventory(j delivery.Job, inventory []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := j.State
	l.SetInventory(delivery.Shared(f.clusters, inventory))
	l.Run.Started, l.Absences.Recorded = true, true
}

// Conclude records the result of a delivery.
func (f *Federation) Conclude(j delivery.Job, r delivery.Result, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := j.State
	l.Settle(r.Answers) // true of the cluster, whatever is wanted now
	if r.Cancelled {
		return c
	}
	l.CancelRun = nil
	r.Drift, r.Inventory = l.Absences.Settle(r.Drift, r.Recreated, r.Answers), delivery.Shared(f.clusters, r.Inventory)
	l.Counts.Add(r.Failure, r.Drift)
	l.Terminal = r.Terminal
	f.contend(&c, l, r, now)
	if f.follows(j) {
		touched := l.Conclude(r)
		f.endBulk(&c, now)
		f.updateObjectsOn(&c, touched, l.Name)
		f.repairDrifted(&c, l, now)
	}
	if about := f.clusters[l.Name]; about != nil && !r.Down {
		drift.AddEvents(&c, about.Delivery.DeepCopy(), r.Drift)
	}
	return c
}
