// Package delivery holds the state of one Delivery: the wanted objects, the observations and the results on one cluster for one
// Federation.
// Package state owns the values and locks them.
package delivery

import (
	"iter"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/state/deliveryreport"
	"github.com/accord-dev/accord/reconciler/state/drift"
	"github.com/accord-dev/accord/reconciler/state/news"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/interpret"
)

// State has the desired and the observed state of one Federation on one cluster.
type State struct {
	Name string
	Record
	ownedObjects
	assignment
	Desired
	observed
	LastResult
	Contention drift.Contention
	Counts     counts.Delivery
	News       news.Delivery
	Absences   drift.Absences
	counted    counted
	difference difference
	// Proven is the one of the Federation: all clusters have the same.
	Proven live.Proven
}

// Record is the Delivery of the cluster.
type Record struct {
	// Delivery has the spec that was put last and the status that was computed last. statusDirty is set while the status,
	// specDirty while the spec differs from the one on the hub.
	Delivery    *v1alpha1.Delivery
	StatusDirty bool
	SpecDirty   bool
}

// assignment connects a cluster with the replica that executes it.
type assignment struct {
	// Assigned identifies the assignment that a follower executes. blocked is set while it cannot, since blockedSince.
	Assigned     string
	Blocked      bool
	BlockedSince time.Time
	// Published is the report that a follower wrote last.
	Published deliveryreport.Published
	// Report is the last report of the replica that owns the cluster; of objects it keeps those without a public digest.
	// reportedInventory replaces its inventory while the active plan was made with discovered objects.
	Report            *v1alpha1.DeliveryReport
	ReportedInventory []string
	// Part is the part of the bundle that an agent executes, and Began the time at which it got the assignment; nil elsewhere.
	Part  *bundle.Part
	Began time.Time
	// pulled is the assignment that the agent of the cluster got last, at the leader.
	pulled deliveryreport.Pulled
}

// Desired has the objects that the active plan and the stages of its rollouts want on the cluster.
type Desired struct {
	Target propagate.ClusterPlan
	Wants  wanted.Objects
	// Leaving are the kinds of the objects with an open eviction from the cluster.
	Leaving []schema.GroupVersionKind
	// planned is set if a want has more than Target says; see PlannedAs.
	planned bool
	// listedKinds has the kinds of Target as they were collected last.
	listedKinds listedKinds
}

// observed has the observations of the watches.
type observed struct {
	Live    live.Objects
	Reports status.Reports
	// GateStatus has the status fields of live objects that the gates of rollouts need.
	GateStatus map[manifest.ID]map[string]any
	// Mutated are the applied fields that have other values on the cluster although accord owns them.
	Mutated map[manifest.ID][]v1alpha1.MutatedField
	// Kinds have been listed; listed is set once these are all that are wanted: before that, a missing object means
	// nothing.
	Kinds  map[schema.GroupKind]bool
	Listed bool
	// crowded is set while objects are not observed because too many have the label.
	crowded bool
	// Drifted are objects that differed from the wanted ones while a delivery was under way, which may have passed them.
	Drifted map[manifest.ID]bool
	// unschedulable are the objects whose report has unschedulable replicas.
	unschedulable map[manifest.ID]bool
}

// LastResult is the result of the last delivery of the active plan.
type LastResult struct {
	Run    status.Run
	Errors map[manifest.ID]string
	// Terminal is set if the last attempt failed in a way that a retry does not fix.
	Terminal bool
	// Pruned are the objects that the last delivery deleted; they may still be there.
	Pruned map[manifest.ID]bool
	// mutatedTried is the time of the last retry of mutated objects.
	mutatedTried time.Time
	// Recalled is set once the cluster was asked for objects that the hub has no record of.
	Recalled bool
	// CancelRun ends the delivery under way; nil if there is none.
	CancelRun func()
}

func New(d *v1alpha1.Delivery, proven live.Proven) *State {
	return &State{
		Name: d.Spec.Cluster, Record: Record{Delivery: d}, Absences: drift.AbsencesSince(d), Proven: proven,
		Contention: drift.Contention{},
		Desired:    Desired{Wants: wanted.Objects{}}, LastResult: LastResult{Errors: map[manifest.ID]string{}},
	}
}

// Generation returns the generation of the active Delivery: while its spec is not on the hub, no status can be about it.
func (l *State) Generation() int64 {
	if l.SpecDirty {
		return l.Delivery.Generation + 1
	}
	return l.Delivery.Generation
}

// Reported reports whether the last report is about the current assignment.
func (l *State) Reported() bool { return l.Report != nil && l.isCurrent(l.Report) }

// isCurrent reports whether a report is about the current assignment. That of an agent is the one of its last bundle, also if the hub does
// not have the spec of the Delivery yet.
func (l *State) isCurrent(r *v1alpha1.DeliveryReport) bool {
	if l.pulled.ID != "" {
		return l.pulled.Is(l.Delivery, r.Status.ObservedDelivery)
	}
	return !l.SpecDirty && r.Status.ObservedDelivery == deliveryreport.AssignmentID(l.Delivery)
}

// RolledBackTo returns the older revision that a rollback delivers; empty without a rollback.
func (l *State) RolledBackTo() string {
	for _, r := range l.Delivery.Status.Rollouts {
		if r.RollbackTo != nil {
			return r.RollbackTo.Revision
		}
	}
	return ""
}

// Idle reports whether the cluster neither gets nor has objects of the Federation.
func (l *State) Idle() bool {
	return len(l.Wants) == 0 && len(l.entries) == 0 && l.Delivery.Status.InventoryCount == 0
}

// Cancel cancels the delivery under way.
func (l *State) Cancel() {
	if l.CancelRun != nil {
		l.CancelRun()
	}
}

// MarkListed records that the observation of some kinds is complete, and that no other kind is wanted. It returns false if
// that was known.
func (l *State) MarkListed(kinds []schema.GroupVersionKind) bool {
	known := l.Listed
	l.Listed, l.Kinds = true, map[schema.GroupKind]bool{}
	for _, gvk := range kinds {
		l.Kinds[gvk.GroupKind()] = true
	}
	return !known
}

// Unlist drops the observations.
func (l *State) Unlist() {
	l.Kinds, l.Listed = nil, false
	l.Live.Clear()
	l.Reports.Clear()
	clear(l.Mutated)
	l.crowded = false
	l.touchAll()
}

// Want records the decision about an object.
func (l *State) Want(id manifest.ID, w wanted.Object) {
	l.Wants.Set(id, w)
	l.touch(id)
}

// clearErrors forgets the errors of the last delivery.
func (l *State) clearErrors() {
	for id := range l.Errors {
		l.touch(id)
	}
	clear(l.Errors)
}

// Labels returns the objects on the cluster with their labels.
func (l *State) Labels() iter.Seq2[manifest.ID, map[string]string] {
	return func(yield func(manifest.ID, map[string]string) bool) {
		for id, seen := range l.Live.All() {
			if !yield(id, seen.Labels) {
				return
			}
		}
	}
}

func (l *State) PlannedAs(id manifest.ID, planned wanted.Object) {
	w := l.Wants.Of(id)
	w.Planned = &planned
	l.Want(id, w)
	l.planned = true
}

// Base has the values that a live object is compared with. A comparison is slow and runs without the lock of the Federation; it is
// repeated if the base changed meanwhile.
type Base struct {
	Wanted *propagate.Rendered // nil for none
	Before live.Object
	Proven live.Proof
	// Generation and Mutated were recorded with Before.
	Generation int64
	Mutated    []v1alpha1.MutatedField
	// Book has the users' scripts that retain live fields; nil for none.
	Book *interpret.Book
	// Full compares the values whatever was compared before.
	Full bool
}

// Same reports whether a comparison with other is still valid. New entries of proven make a comparison faster,
// not different.
func (b Base) Same(other Base) bool {
	return b.Wanted == other.Wanted && b.Before.Accepted == other.Before.Accepted
}

func (l *State) Base(id manifest.ID) Base {
	before, _ := l.Live.Get(id) // zero: nothing is known of it
	report, _ := l.Reports.Get(id)
	return Base{Wanted: l.Wants.Of(id).Object, Before: before, Proven: l.Proven[id], Generation: report.Generation, Mutated: l.Mutated[id]}
}

// SetGateStatus keeps the status fields of an object that the gates of rollouts need.
func (l *State) SetGateStatus(id manifest.ID, kept map[string]any) {
	switch {
	case kept == nil:
		delete(l.GateStatus, id)
	case l.GateStatus == nil:
		l.GateStatus = map[manifest.ID]map[string]any{id: kept}
	default:
		l.GateStatus[id] = kept
	}
}

// Block cancels the delivery of the assignment before. Its result is not about this one.
func (l *State) Block(assigned string, now time.Time) {
	l.Cancel()
	l.Blocked = true
	if l.Assigned == assigned && !l.BlockedSince.IsZero() {
		return
	}
	l.Assigned, l.BlockedSince, l.Run, l.Listed = assigned, now, status.Run{}, false
	l.clearErrors()
}

// WantedDigest returns the wanted digest of an object; empty if it is not wanted.
func (l *State) WantedDigest(id manifest.ID) string { return l.Wants.Of(id).Digest }

// Seen returns a live object; the zero value if it is absent.
func (l *State) Seen(id manifest.ID) live.Object {
	seen, _ := l.Live.Get(id)
	return seen
}

// Union returns the entries of two lists, sorted.
func Union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
