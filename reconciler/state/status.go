package state

import (
	"cmp"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// circumstances returns the values beside the objects that the cells of a cluster depend on.
func (f *Federation) circumstances(unreachable string) delivery.Circumstances {
	spec := &f.declared.object.Spec
	return delivery.Circumstances{
		Unreachable: unreachable, Suspended: spec.Suspend, MutationFails: spec.MutationPolicy != v1alpha1.MutationWarn, Fingerprints: f.fingerprints,
	}
}

// settled reports whether everything that is wanted on a cluster is known: before that, a missing object may only not
// have been listed, and nothing is reported that would turn out differently a moment later.
func (f *Federation) settled(c *changes.Changes, l *delivery.State, now time.Time) bool {
	if l.Listed {
		return true
	}
	if wait := f.registry.ReportExpected(l.Name, now); wait > 0 {
		c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: l.Name}, Delay: wait + changes.Gather})
		return false
	}
	return f.registry.Reachability(l.Name, now).Unreachable != ""
}

// ObjectStatus has the inputs of the status of a FederatedObject.
type ObjectStatus struct {
	Object *v1alpha1.FederatedObject // a copy
	// Deferred is set if the hub does not have the object yet, InBulk while a bulk delivers it.
	Deferred, InBulk bool
	Kind             kind.Kind
	Cells            []status.Cell
	// MirrorDecision is the decision that the mirror was given about the object; empty if it is not mirrored.
	MirrorDecision string

	evictions []v1alpha1.EvictionState
	unhealthy []v1alpha1.UnhealthyCopy
	decided   *v1alpha1.FederatedObject // that Object is a copy of
}

// Status returns the status of the object in a generation.
func (in *ObjectStatus) Status(generation int64, now time.Time) v1alpha1.FederatedObjectStatus {
	next := status.Object(in.Object.Status, generation, in.Kind, in.Object.Spec.Message, in.Cells, now)
	next.Evictions, next.UnhealthySince = in.evictions, in.unhealthy
	return next
}

// ObjectStatus returns the inputs of the status of an object. It returns false if the status has to wait, or if
// the object is unknown. Object is nil if nothing about it can be written.
func (f *Federation) ObjectStatus(id manifest.ID, now time.Time) (in ObjectStatus, c changes.Changes, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.records.objects.Of(id)
	if o == nil {
		return in, c, false
	}
	if !f.active.persisted {
		f.records.waiting[id] = true
		return in, c, false
	}
	in.Object, in.decided = o.DeepCopy(), o
	in.Deferred, in.InBulk = f.records.objects.IsDeferred(id), f.bulk.Active && !f.bulk.Urgent[id]
	for _, name := range f.names() {
		l := f.clusters[name]
		w, wanted := l.Wants.Get(id)
		if !wanted {
			continue
		}
		if !f.settled(&c, l, now) {
			f.records.waiting[id] = true
			return in, c, false
		}
		in.Cells = append(in.Cells, l.Cell(id, w, f.circumstances(f.registry.Reachability(name, now).Unreachable)))
	}
	in.evictions, in.unhealthy = f.evictions.Explain(id)
	in.Kind, in.MirrorDecision = f.active.plan.Kind(id.GroupKind()), f.mirror.Decisions[id]
	return in, c, true
}

// ObjectStatusWritten records the status of a FederatedObject as the hub has it.
func (f *Federation) ObjectStatusWritten(o *v1alpha1.FederatedObject) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records.objects.SetStatus(o.Spec.Template.ID(), o.Status)
}

// ComputeDelivery brings the status of a Delivery up to date in memory, which the Release is computed from.
func (f *Federation) ComputeDelivery(cluster string, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checkRollouts(&c, cluster)
	l, own := f.clusters[cluster], f.registry.Owns(cluster)
	if l != nil && !own {
		f.mergeReport(&c, l, now)
	}
	if l == nil || !f.active.persisted || l.Delivery.Name == "" || l.SpecDirty && !own && !f.registry.HasAgent(cluster) {
		return c // another replica executes the spec that the hub has
	}
	if !f.settled(&c, l, now) {
		if l.CountReported() {
			c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: cluster, Write: true}})
		}
		return c
	}
	if own { // else the replica that owns the cluster reports it
		f.reportContention(&c, l, now)
		l.Run.Deletions = l.Deletions()
	}
	reach, run := f.registry.Reachability(cluster, now), l.Run
	run.Unreachable, run.LastProbeTime, run.Outage = reach.Unreachable, reach.LastProbe, reach.Silence
	run.RolledBackTo, run.Mutated, run.Error = l.RolledBackTo(), l.MutatedFields(), cmp.Or(run.Error, l.PruneError())
	if run.InventoryCount = len(l.Inventory()); l.Unreadable != nil {
		run.Error, run.InventoryCount = l.Unreadable.Error(), int(l.Delivery.Status.InventoryCount)
	}
	run.Cluster, run.DeletionTimeout = cluster, f.declared.object.Spec.DeletionTimeout.Duration
	if wait := run.DeletionWait(now); wait > 0 {
		c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: cluster}, Delay: wait})
	}
	next := status.Delivery(l.Delivery.Status, l.Generation(), f.active.revision, run, l.Cells(f.circumstances(run.Unreachable)), now)
	f.deliveryEvents(&c, l, next, reach, now)
	if equality.Semantic.DeepEqual(l.Delivery.Status, next) && !l.StatusDirty && l.InventoryIsRecorded() {
		return c
	}
	l.Delivery.Status, l.StatusDirty = next, true
	if l.SpecDirty && (own || !l.Run.Finished) { // written with the spec
		f.updateRelease(&c, changes.ReleaseInterval)
		return c
	}
	ready := meta.FindStatusCondition(next.Conditions, fluxmeta.ReadyCondition)
	c.Updates = append(c.Updates, f.bulk.DeliveryUpdate(changes.Status{Federation: f.key, Cluster: cluster}, len(f.clusters), ready != nil && ready.Reason == status.Progressing))
	f.updateRelease(&c, f.bulk.Interval(changes.ReleaseInterval, changes.BulkComputeInterval))
	return c
}

// TakeDelivery returns the next write of a Delivery; an empty one if the hub has everything.
func (f *Federation) TakeDelivery(cluster string) delivery.Write {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || l.SpecDirty && !f.active.persisted {
		return delivery.Write{}
	}
	return l.TakeWrite()
}

// DeliveryNotWritten has the status of a Delivery written again.
func (f *Federation) DeliveryNotWritten(cluster string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.StatusDirty = true
	}
}

// TakeRelease returns a copy of the newest Release whose status has to be written; nil if it has not. before are the
// clusters whose Deliveries have to be written first: a Release that is Ready is read beside Deliveries that are.
func (f *Federation) TakeRelease(now time.Time) (release *v1alpha1.Release, before []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.records.release == nil {
		return nil, nil
	}
	f.computeRelease(now)
	if !f.records.releaseDirty {
		return nil, nil
	}
	f.records.releaseDirty = false
	if meta.IsStatusConditionTrue(f.records.release.Status.Conditions, fluxmeta.ReadyCondition) {
		for name, l := range f.clusters {
			if l.StatusDirty {
				before = append(before, name)
			}
		}
	}
	return f.records.release.DeepCopy(), before
}

// ReleaseNotWritten has the status of the newest Release written again.
func (f *Federation) ReleaseNotWritten() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records.releaseDirty = true
}

// computeRelease brings the status of the newest Release up to date in memory.
func (f *Federation) computeRelease(now time.Time) {
	r := f.records.release
	next := status.Release(r.Status, r.Generation, f.releaseInput(), now)
	f.leadTime.Observe(r, next, now)
	if !equality.Semantic.DeepEqual(r.Status, next) {
		r.Status, f.records.releaseDirty = next, true
	}
}

// releaseInput returns the inputs of the status of the newest Release.
func (f *Federation) releaseInput() status.ReleaseInput {
	in := status.ReleaseInput{Starting: f.active.starting, Suspended: f.declared.object.Spec.Suspend}
	n := &f.newest
	if n.invalid != nil {
		in.Errors, in.ErrorReason = strings.Split(n.invalid.Error(), "\n"), status.RejectionReason(n.invalid)
		return in
	}
	plan, findings := f.active.plan, f.active.findings
	if n.pending != nil {
		plan, findings, in.PruneBlock = n.pending.Plan, n.pending.Findings, n.pending.PruneBlock
	}
	in.Approval, in.Preflight = n.approval, n.dryRun.Result
	f.records.decided = f.records.decided.Of(plan)
	in.Objects, in.Retained, in.Unplaced = f.records.decided.Objects, f.records.decided.Retained, f.records.decided.Unplaced
	listed := min(len(findings), status.MaxWarnings)
	in.MoreWarnings = len(findings) - listed
	for _, x := range findings[:listed] {
		in.Warnings = append(in.Warnings, record.FindingLine(x))
	}
	if problem := f.mirror.Problem; problem != "" && n.pending == nil {
		in.Warnings = append(in.Warnings, record.FindingLine(f.mirrorFinding()))
	}
	if n.pending != nil {
		in.Deliveries = f.pendingClusters(plan)
		return in
	}
	in.Rollouts = f.rollouts.published
	for _, name := range f.names() {
		if l := f.clusters[name]; !l.Idle() {
			in.Deliveries = append(in.Deliveries, status.NewDeliveryState(name, l.Generation(), l.Delivery.Status))
		}
	}
	f.records.objects.HideMissing(in.Deliveries)
	return in
}

// FederationStatus returns a copy of the Federation with the status of its newest Release, or why there is none. changed
// is false if the hub has that status.
func (f *Federation) FederationStatus(now time.Time) (fed *v1alpha1.Federation, changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fed = f.declared.object.DeepCopy()
	in := status.FederationInput{
		Planning: f.newest.planning, FetchError: cmp.Or(f.newest.sourceError, f.newest.unread), Suspended: fed.Spec.Suspend, HandledAt: f.declared.handledAt, Rollouts: f.rolloutStates(),
	}
	if r := f.records.release; r != nil {
		f.computeRelease(now) // another plan for the same commit may be active by now
		in.Release, in.Newest, in.Revision = r.Name, r.Status, r.Spec.Revision
	}
	before := f.declared.object.Status
	fed.Status = status.Federation(before, f.declared.evaluated, in, now)
	return fed, !equality.Semantic.DeepEqual(before, fed.Status)
}

// FederationWritten records the status of the Federation as the hub has it.
func (f *Federation) FederationWritten(fed *v1alpha1.Federation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declared.object.Status = fed.Status
}
