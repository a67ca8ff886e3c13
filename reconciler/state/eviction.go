package state

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/evictions"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/reconciler/state/record"
)

// Evictions returns the recorded eviction tasks of each object.
func (f *Federation) Evictions() map[manifest.ID][]v1alpha1.GracefulEvictionTask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.records.objects.AllEvictions()
}

// PossibleEvictions returns the tasks that the recorded decisions may follow, the most probable first.
func (f *Federation) PossibleEvictions() []map[manifest.ID][]v1alpha1.GracefulEvictionTask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.records.objects.PossibleEvictions()
}

// DecideEvictions decides about evictions. in has no objects yet. It returns false without a persisted plan, and while suspended.
func (f *Federation) DecideEvictions(in failover.Input) (_ failover.Input, out failover.Outcome, c changes.Changes, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan == nil || !f.active.persisted || f.declared.object.Spec.Suspend {
		return in, out, c, false
	}
	in = f.evictions.Input(in, evictions.Facts{Plan: f.active.plan, Objects: &f.records.objects, Clusters: f.clusters})
	out = failover.Decide(in)
	for _, id := range f.evictions.Take(in, out) {
		f.updateObject(&c, id, 0)
	}
	return in, out, c, true
}

// CountDescheduled counts a workload of which the descheduler moved replicas.
func (f *Federation) CountDescheduled() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.evictions.Counts.Descheduled++
}

// WithEvictions returns a copy of the FederatedObject of an object with other tasks; nil if the hub does not have it.
func (f *Federation) WithEvictions(id manifest.ID, tasks []v1alpha1.GracefulEvictionTask) *v1alpha1.FederatedObject {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.records.objects.WithEvictions(id, tasks)
}

// EvictionsWritten records that the hub has the tasks of a decision. The Federation is planned again if the active plan has others.
func (f *Federation) EvictionsWritten(in failover.Input, out failover.Outcome) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.evictions.Written(&c, &f.records.objects, in, out)
	for id := range out.Tasks {
		f.updateObject(&c, id, 0)
	}
	if len(eviction.Changed(f.active.plan.Evictions(), f.records.objects.AllEvictions())) > 0 {
		c.Replan = append(c.Replan, f.key)
	}
	return c
}

// EvictionsDue returns the active plan and its revision if it has other evictions than the hub, or is not persisted since it got them.
func (f *Federation) EvictionsDue() (active *propagate.Plan, revision string, due bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if a := f.active; a.plan == nil || !a.persisted && !a.evicting || f.declared.object.Spec.Suspend {
		return nil, "", false
	}
	return f.active.plan, f.active.revision, !f.active.persisted || len(eviction.Changed(f.active.plan.Evictions(), f.records.objects.AllEvictions())) > 0
}

// ActivateEvictions makes a plan active that differs from the active one in its evictions only. A newer revision stays pending.
func (f *Federation) ActivateEvictions(plan *propagate.Plan, now time.Time) activation.Result {
	plan.Digest() // renders everything, before anything waits for the lock
	f.mu.Lock()
	defer f.mu.Unlock()
	out := activation.Result{Touched: map[manifest.ID]bool{}, Carried: record.Carry(f.persistedPlan(), plan), Complete: true}
	next := f.active
	next.plan, next.decidedAt, next.evicting, next.persisted, next.restored = plan, now, true, false, false
	switch i := slices.IndexFunc(f.releases(), func(r *v1alpha1.Release) bool { return r.Spec.Revision == next.revision }); {
	case i > 0: // a newer revision is not active
		f.releases()[i].Spec.PlanDigest = plan.Digest()
		out.Release = f.releases()[i].DeepCopy()
	case i == 0 && f.newest.pending == nil && f.newest.invalid == nil:
		f.records.release.Spec.PlanDigest, next.starting = plan.Digest(), true
		next.input.Evictions, out.Release = inputkey.Evictions(plan.Evictions()), f.records.release.DeepCopy()
	}
	f.adopt(next, &out, now)
	return out
}

// checkEvictions requests a decision about evictions, because something may have changed on a cluster that they depend on.
func (f *Federation) checkEvictions(c *changes.Changes, id manifest.ID) {
	if f.evictions.Observed(id, len(f.records.objects.Evictions(id)) > 0) {
		c.Evictions = append(c.Evictions, f.key)
	}
}

// LiftedEvictions returns the tasks of an object with the deletions that a person allowed on the hub; nil if nobody did.
func (f *Federation) LiftedEvictions(onHub *v1alpha1.FederatedObject) []v1alpha1.GracefulEvictionTask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return evictions.Lifted(f.records.objects.Evictions(onHub.Spec.Template.ID()), onHub.Spec.GracefulEvictionTasks)
}
