package state

import (
	"maps"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/gate"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/reconciler/state/unobserved"
)

// Activate makes a plan the wanted state and cancels the deliveries of the plan before it. The leader, a replica that
// follows and a run without a hub activate plans here.
//
// At the leader nothing is delivered before Persisted: the order makes status truthful. A follower executes at once:
// the leader has persisted the plan.
func (f *Federation) Activate(a activation.Request, now time.Time) activation.Result {
	a.Plan.Digest() // renders everything, before anything waits for the lock
	f.mu.Lock()
	defer f.mu.Unlock()
	out := activation.Result{Touched: map[manifest.ID]bool{}, Carried: record.Carry(f.persistedPlan(), a.Plan), Complete: true}
	learned := f.interpreters().ID != a.Plan.Interpreters().ID
	if a.Assigned != nil {
		f.activateAssigned(a, &out, now)
	} else {
		f.activateAll(a, &out, now)
	}
	asks := gate.NeedsOf(f.active.plan)
	asksMore := asks.More(f.rollouts.asks)
	f.rollouts.asks = asks
	out.Relist = learned || asksMore
	return out
}

// persistedPlan returns the plan that the hub has; nil if that is not certain.
func (f *Federation) persistedPlan() *propagate.Plan {
	if f.active.persisted && !f.active.restored {
		return f.active.plan
	}
	return nil
}

// interpreters returns the users' scripts about kinds.
func (f *Federation) interpreters() scripts.Interpreters {
	if f.active.plan == nil {
		return f.active.interpreters
	}
	return f.active.plan.Interpreters()
}

func (f *Federation) activateAll(a activation.Request, out *activation.Result, now time.Time) {
	if f.active.plan == nil || !f.active.persisted { // the first plan, or the one before was not persisted
		for id := range f.records.objects.All() {
			out.Touched[id] = true
		}
	}
	f.newest.invalid, f.newest.pending, f.newest.approval, f.newest.sourceError = nil, nil, a.Approval, nil
	f.newest.dryRun = f.newest.dryRun.Succeed(a.Plan, a.DryRun)
	f.evaluate(a.Input.Generation)
	f.succeed(a.Release)
	r := f.records.release
	// After a restart the plan is the one that the hub's status is about. Any other plan starts again, and so does one that
	// was approved, or passed its dry-run, only now.
	known := r.Spec.PlanDigest == a.Plan.Digest() && r.Status.SupersededBy == "" && r.Status.ObservedGeneration == r.Generation && !unobserved.Stopped(r)
	r.Spec.PlanDigest = a.Plan.Digest()
	f.mirror.Keep(a.Objects)
	f.adopt(activePlan{
		plan: a.Plan, input: a.Input, decidedAt: now, findings: a.Findings, revision: a.Revision, allowPrune: a.AllowPrune, starting: !known,
	}, out, now)
}

// adopt makes a plan active on all of its clusters.
func (f *Federation) adopt(next activePlan, out *activation.Result, now time.Time) {
	f.keepPastPlans()
	sameSpec := f.active.input.Generation == next.input.Generation
	f.active = next
	f.restage(now)
	covered := map[string]bool{}
	for _, name := range next.plan.Clusters() {
		covered[name] = true
		if f.clusters[name] == nil {
			f.clusters[name] = delivery.New(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: name}}, f.shared.proven)
		}
	}
	for name, l := range f.clusters {
		if !covered[name] { // it left the fleet, and keeps its objects
			l.Cancel()
			f.records.removed = append(f.records.removed, l)
			delete(f.clusters, name)
			continue
		}
		for id := range l.Errors {
			out.Touched[id] = true
		}
		if f.registry.HasAgent(name) || !f.registry.Owns(name) && f.unused(name, next.plan) { // another process is to delete them
			l.Recall(f.discovered.Settle(name, next.plan))
		}
		f.assign(l)
	}
	if !out.Carried.IsStep() {
		maps.DeleteFunc(f.shared.proven, func(id manifest.ID, _ live.Proof) bool { return next.plan.Manifest(id) == nil })
	}
	carried := out.Carried
	if !sameSpec {
		carried = record.Carried{}
	}
	f.evictions.Watch(f.declared.object.Spec.Failover, next.plan, carried)
}

// assign sets the desired objects of a cluster from the active plan and the stages of its rollouts, and cancels its delivery.
func (f *Federation) assign(l *delivery.State) {
	l.Leaving = delivery.LeavingKinds(f.active.plan, l.Name)
	s := f.staging(l)
	if s == nil {
		l.Adopt(f.active.plan.ForCluster(l.Name))
		return
	}
	l.Adopt(s.ClusterPlan())
	l.NotePlanned(f.active.plan, f.rollouts.turns[l.Name], s)
}

// succeed makes release the newest. A Release that was there before (the same commit after a force-push back, or after a
// restart) continues from its status.
func (f *Federation) succeed(release *v1alpha1.Release) {
	release.OwnerReferences = f.owner()
	s := &f.records
	if s.release != nil {
		s.older = slices.Insert(s.older, 0, *s.release)
	}
	i := slices.IndexFunc(s.older, func(r v1alpha1.Release) bool { return r.Name == release.Name })
	if i >= 0 {
		old := s.older[i]
		release.Status, release.Generation, release.UID, release.Spec.PlanDigest = old.Status, old.Generation, old.UID, old.Spec.PlanDigest
		s.older = slices.Delete(s.older, i, i+1)
	}
	s.release, s.releaseDirty = release, i > 0 || i == 0 && s.releaseDirty // a status that was computed and not written is not lost
}

// Plan returns the active plan; nil before the first.
func (f *Federation) Plan() *propagate.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.active.plan
}

// Unschedulable returns the replicas that the descheduler may move.
func (f *Federation) Unschedulable(now time.Time) deschedule.Copies {
	f.mu.Lock()
	defer f.mu.Unlock()
	return delivery.Unschedulable(f.clusters, f.active.plan, func(c string) bool { return f.registry.Reachability(c, now).Unreachable != "" })
}

// Previous returns the last decisions: of the active plan or, after a restart, of the process before this one.
// Discovered objects are added, and count as planned from now on.
func (f *Federation) Previous() []*previous.Decision {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != nil {
		return f.discovered.AddTo(f.active.plan.Previous(), f.active.plan)
	}
	all := make([]*previous.Decision, 0, f.records.objects.Len())
	for _, o := range f.records.objects.All() {
		all = append(all, previous.From(o.Spec))
	}
	return f.discovered.AddTo(all, nil)
}
