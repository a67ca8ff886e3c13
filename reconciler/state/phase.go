package state

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/dryrun"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/reconciler/state/news"
	"github.com/accord-dev/accord/reconciler/state/phase"
	"github.com/accord-dev/accord/status"
)

// newestRevision has the result of the newest revision if its plan is not active.
type newestRevision struct {
	// sourceError is the error of the last fetch of the sources, or the refusal of a Tenant; nil if they were read.
	sourceError error
	// unread is the reason why the last objects of a live cluster count; nil if all sources are the newest.
	unread error
	// invalid is the reason why the newest commit could not be planned; nil if it could.
	invalid error
	// planning is the revision that is being planned; empty for none.
	planning string
	// pending is the plan of the newest Release while it is not active.
	pending *activation.Pending
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
	// evicting is set if the plan differs from the one before it in its evictions only.
	evicting bool
	// interpreters are the users' scripts about kinds at an agent, which has no plan.
	interpreters scripts.Interpreters
	// starting is set as long, unless the hub knows the plan already: the Release reports Progressing.
	starting bool
}

// phase returns the phase of the newest revision, whose sources were read.
func (f *Federation) phase() phase.Phase {
	n, a := &f.newest, &f.active
	facts := phase.Facts{Invalid: n.invalid != nil, Pending: n.pending != nil, Active: a.plan != nil, Persisted: a.persisted}
	if facts.Pending {
		facts.PruneBlocked = n.pending.PruneBlock != nil
		facts.Unapproved = n.approval != nil && n.approval.By == ""
		facts.Rejected = n.dryRun.Result != nil && len(n.dryRun.Result.Refused) > 0
	}
	return facts.Phase()
}

// Unchanged reports whether nothing has changed since the newest revision was decided about. It records the fetch: until
// then the old Release does not answer for a new generation.
func (f *Federation) Unchanged(k inputkey.Key, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	age := now.Sub(f.active.decidedAt)
	if f.newest.pending != nil {
		age = 0 // a plan under review is not made again only because free resources changed
	}
	if f.unplanned() || !f.active.input.Unchanged(k, age, f.declared.object.Spec.Interval.Duration) || !f.phase().Decided() {
		return false
	}
	f.newest.sourceError = nil
	f.evaluate(k.Generation)
	return true
}

// SetPlanning records the revision that is being planned; empty for none. It returns false, and records nothing, if the newest Release is of
// that revision.
func (f *Federation) SetPlanning(revision string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.records.release; revision != "" && (r == nil || r.Spec.Revision == revision) {
		return false
	}
	f.newest.planning = revision
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

// SourcesRead records that the sources were read. unread is the reason why the last objects of a live cluster count; nil if all are the
// newest.
func (f *Federation) SourcesRead(unread error) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest.unread = unread
	if unread != nil {
		f.news.SourceFailed(&c, f.declared.object, unread)
	}
	return c
}

// Reject records that a commit cannot be planned. It returns the Release to put; its status has the reason with file
// and line. Rejected follows once the hub has the Release.
func (f *Federation) Reject(k inputkey.Key, release *v1alpha1.Release, err error) *v1alpha1.Release {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.newest.invalid, f.newest.pending, f.newest.sourceError, f.newest.planning = err, nil, nil, ""
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
func (f *Federation) Park(p *activation.Pending, a *status.Approval, result *status.Preflight) *v1alpha1.Release {
	f.mu.Lock()
	defer f.mu.Unlock()
	if result == nil {
		f.newest.dryRun = f.newest.dryRun.Forget()
	} else {
		f.newest.dryRun.Result = result
	}
	f.newest.invalid, f.newest.pending, f.newest.approval, f.newest.sourceError, f.newest.planning = nil, p, a, nil, ""
	release := p.Release.DeepCopy()
	release.Spec.PlanDigest = p.Plan.Digest()
	return f.replaceRelease(p.Input.Generation, release)
}

// Parked completes Park: a Release that could not be written is tried again. before is the status of the Release as Park
// returned it.
func (f *Federation) Parked(p *activation.Pending, release *v1alpha1.Release, before v1alpha1.ReleaseStatus, now time.Time) (c changes.Changes) {
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
