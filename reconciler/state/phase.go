package state

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/dryrun"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/reconciler/state/news"
	"github.com/accord-dev/accord/status"
)

// Phase is the phase of the newest revision of a Federation. In every phase the active plan stays active, and
// clusters keep their objects, until a plan is activated.
type Phase string

// Phases of a revision.
const (
	// Pending: no plan was made yet.
	Pending Phase = "Pending"
	// Suspended: spec.suspend is set. Sources are not fetched and clusters are not changed.
	Suspended Phase = "Suspended"
	// SourceUnavailable: a source could not be read. It is fetched again; its last content is still wanted.
	SourceUnavailable Phase = "SourceUnavailable"
	// Invalid: the revision cannot be planned. Only another commit helps.
	Invalid Phase = "Invalid"
	// PruneBlocked: the prune limits stop the plan. Another commit helps, or higher limits.
	PruneBlocked Phase = "PruneBlocked"
	// AwaitingApproval: the plan is made, and nobody has approved it.
	AwaitingApproval Phase = "AwaitingApproval"
	// DryRunning: the plan is tried on the clusters, and that takes long.
	DryRunning Phase = "DryRunning"
	// DryRunFailed: a cluster rejects an object of the plan. It is tried again with back-off.
	DryRunFailed Phase = "DryRunFailed"
	// Persisting: the plan is active and the hub does not have all of its records. Nothing is delivered.
	Persisting Phase = "Persisting"
	// Active: the plan is active, and its clusters are delivered.
	Active Phase = "Active"
)

// newestRevision has the result of the newest revision if its plan is not active.
type newestRevision struct {
	// sourceError is the error of the last fetch of the sources, or the refusal of a Tenant; nil if they were read.
	sourceError error
	// invalid is the reason why the newest commit could not be planned; nil if it could.
	invalid error
	// pending is the plan of the newest Release while it is not active.
	pending *PendingPlan
	// approval is that of the newest Release; nil where none is required.
	approval *status.Approval
	dryRun   dryrun.Memory
}

// activePlan is the plan that is wanted.
type activePlan struct {
	plan *propagate.Plan
	// input is the key that the plan, or the invalid or pending revision after it, was made from; zero before that is on
	// the hub. decidedAt is when.
	input     inputkey.Key
	decidedAt time.Time
	// findings are for the reviewer, worst first.
	findings []propagate.Finding
	// revision and allowPrune are those of the plan's commit.
	revision   string
	allowPrune bool
	// persisted is set once the hub has the records of the plan: before that nothing is delivered.
	persisted bool
	// restored is set after a restart if the plan was made again from the recorded commits, not from the newest ones.
	restored bool
	// starting is set as long, unless the hub knows the plan already: the Release reports Progressing.
	starting bool
}

// Phase returns the phase of the newest revision.
func (f *Federation) Phase() Phase {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.declared.object.Spec.Suspend:
		return Suspended
	case f.newest.sourceError != nil:
		return SourceUnavailable
	}
	return phaseOf(&f.newest, &f.active)
}

// phaseOf computes the phase of a revision whose sources were read:
//
//	invalid  pending plan  prune limits  approved  dry-run rejected  active plan  persisted  phase
//	yes      -             -             -         -                 -            -          Invalid
//	no       yes           stop it       -         -                 -            -          PruneBlocked
//	no       yes           allow it      no        -                 -            -          AwaitingApproval
//	no       yes           allow it      yes       no                -            -          DryRunning
//	no       yes           allow it      yes       yes               -            -          DryRunFailed
//	no       no            -             -         -                 no           -          Pending
//	no       no            -             -         -                 yes          no         Persisting
//	no       no            -             -         -                 yes          yes        Active
//
// A plan that needs no approval counts as approved.
func phaseOf(n *newestRevision, a *activePlan) Phase {
	switch {
	case n.invalid != nil:
		return Invalid
	case n.pending != nil && n.pending.PruneBlock != nil:
		return PruneBlocked
	case n.pending != nil && n.approval != nil && n.approval.By == "":
		return AwaitingApproval
	case n.pending != nil && n.dryRun.Result != nil && len(n.dryRun.Result.Refused) > 0:
		return DryRunFailed
	case n.pending != nil:
		return DryRunning
	case a.plan == nil:
		return Pending
	case !a.persisted:
		return Persisting
	}
	return Active
}

// decided reports whether the newest revision needs no further work until its input changes.
func (p Phase) decided() bool { return p != Pending && p != Persisting }

// Unchanged reports whether nothing has changed since the newest revision was decided about. It records the fetch: until
// then the old Release does not answer for a new generation.
func (f *Federation) Unchanged(k inputkey.Key, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	age := now.Sub(f.active.decidedAt)
	if f.newest.pending != nil {
		age = 0 // a plan under review is not made again only because free resources changed
	}
	if f.discovered.Unplanned() || !f.active.input.Unchanged(k, age, f.declared.object.Spec.Interval.Duration) || !phaseOf(&f.newest, &f.active).decided() {
		return false
	}
	f.newest.sourceError = nil
	f.evaluate(k.Generation)
	return true
}

// SourceUnavailable records that a source could not be read, or that a Tenant refuses the Federation (*status.RefusalError).
func (f *Federation) SourceUnavailable(err error) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest.sourceError = err
	f.declared.evaluated = f.declared.object.Generation
	f.news.SourceFailed(&c, f.declared.object, err)
	return c
}

// Reject records that a commit cannot be planned. It returns the Release to put; its status has the reason with file
// and line. Rejected follows once the hub has the Release.
func (f *Federation) Reject(k inputkey.Key, release *v1alpha1.Release, err error) *v1alpha1.Release {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest.invalid, f.newest.pending, f.newest.sourceError = err, nil, nil
	return f.replaceRelease(k.Generation, release)
}

// Rejected completes Reject: a Release that could not be written is tried again. before is the status of the Release as
// Reject returned it.
func (f *Federation) Rejected(k inputkey.Key, release *v1alpha1.Release, before v1alpha1.ReleaseStatus, err error, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active.input, f.active.decidedAt = k, now
	news.Rejected(&c, f.declared.object, release, before, err)
	return c
}

// Park keeps a plan that the prune limits stop, that is not approved, or that did not pass its dry-run. The active plan
// stays active. It returns the Release to put; its status shows how the plan becomes active. Parked follows once the hub has
// the Release. result is nil for a plan that was not tried.
func (f *Federation) Park(p *PendingPlan, a *status.Approval, result *status.Preflight) *v1alpha1.Release {
	f.mu.Lock()
	defer f.mu.Unlock()
	if result == nil {
		f.newest.dryRun = f.newest.dryRun.Forget()
	} else {
		f.newest.dryRun.Result = result
	}
	f.newest.invalid, f.newest.pending, f.newest.approval, f.newest.sourceError = nil, p, a, nil
	release := p.Release.DeepCopy()
	release.Spec.PlanDigest = p.Plan.Digest()
	return f.replaceRelease(p.Input.Generation, release)
}

// Parked completes Park: a Release that could not be written is tried again. before is the status of the Release as Park
// returned it.
func (f *Federation) Parked(p *PendingPlan, release *v1alpha1.Release, before v1alpha1.ReleaseStatus, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active.input, f.active.decidedAt = p.Resting, now
	news.Parked(&c, release, before, f.records.release.Status)
	return c
}

// replaceRelease makes a Release without an active plan the newest, and returns a copy to put. Its status is the one
// that the Release had before.
func (f *Federation) replaceRelease(generation int64, release *v1alpha1.Release) *v1alpha1.Release {
	f.active.input = inputkey.Key{}
	f.evaluate(generation)
	digest := release.Spec.PlanDigest
	f.succeed(release)
	if digest != "" {
		f.records.release.Spec.PlanDigest = digest
	}
	return f.records.release.DeepCopy()
}
