package status

import (
	"cmp"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// FederationInput is the state of a Federation's newest commit.
type FederationInput struct {
	// Release is the name of the newest Release and Newest its status as it is now; empty while there is none.
	Release string
	Newest  v1alpha1.ReleaseStatus
	// Revision of it, "main@sha1:<40 hex>".
	Revision string
	// Planning is the revision that is being planned; empty for none. Until its plan is delivered, the status keeps the Release and the
	// revision before it, and counts nothing.
	Planning string
	// FetchError is the reason why the sources cannot be read, a *RefusalError if a Tenant refuses them, an *UnverifiedError
	// if the newest revision is not verified, an *UnreadError if the last objects of a live cluster count; nil if they can be read.
	FetchError error
	// Suspended is spec.suspend.
	Suspended bool
	// HandledAt is the last handled value of the annotation reconcile.accord.dev/requestedAt (or Flux's); empty keeps
	// the previous one.
	HandledAt string
	// Rollouts are the recorded states of rollouts.
	Rollouts []v1alpha1.RolloutState
}

// Federation returns the status of a Federation: that of its newest release, unless the sources cannot be read.
// generation is that of the spec with which the sources were read last: otherwise a changed ref would count as
// observed, and ready, with the commit of the old one.
func Federation(prev v1alpha1.FederationStatus, generation int64, in FederationInput, now time.Time) v1alpha1.FederationStatus {
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	if in.Planning != "" {
		in.Release, in.Revision, in.Newest = "", "", countOnly(v1alpha1.ReleaseStatus{Summary: prev.Summary})
	}
	if in.Suspended {
		c.set(v1alpha1.Suspended, metav1.ConditionTrue, Suspended, "spec.suspend is true")
	}
	c.keep(v1alpha1.DiskSpaceLow) // see Reporter.DiskSpace
	c.keep(v1alpha1.MemoryPressure)
	c.keep(v1alpha1.FailoverBlocked)
	c.keep(v1alpha1.SourceVerified) // see Reporter.SourceVerified
	unverified, refused := errors.AsType[*UnverifiedError](in.FetchError)
	if refused {
		c.set(v1alpha1.SourceVerified, metav1.ConditionFalse, SourceUnverified, unverified.Error())
	}
	next := v1alpha1.FederationStatus{
		ObservedGeneration:     behind(generation),
		LastAttemptedRevision:  cmp.Or(in.Revision, prev.LastAttemptedRevision),
		LastAppliedRevision:    prev.LastAppliedRevision,
		LastHealthyRevision:    prev.LastHealthyRevision,
		LastHandledReconcileAt: cmp.Or(in.HandledAt, prev.LastHandledReconcileAt),
		Release:                cmp.Or(in.Release, prev.Release),
		Summary:                in.Newest.Summary,
		Rollouts:               in.Rollouts,
		RemovedClusters:        prev.RemovedClusters, // see Left
		RemovedClustersOmitted: prev.RemovedClustersOmitted,
	}
	if refused {
		next.RefusedRevision = unverified.Revision
	}
	if meta.IsStatusConditionTrue(in.Newest.Conditions, v1alpha1.Applied) {
		next.LastAppliedRevision = in.Revision
	}
	if meta.IsStatusConditionTrue(in.Newest.Conditions, ready) {
		next.LastHealthyRevision = in.Revision
	}
	next.ShortRevision = phrase.Revision(next.LastAttemptedRevision)
	if m := meta.FindStatusCondition(in.Newest.Conditions, v1alpha1.MutatedType); m != nil {
		c.set(m.Type, m.Status, m.Reason, m.Message)
	}
	next.Conditions = c.summarize(in.verdict())
	next.Message = headline(next.Conditions)
	return next
}

func (in FederationInput) verdict() verdict {
	r := meta.FindStatusCondition(in.Newest.Conditions, ready)
	dependency, waits := errors.AsType[*DependencyError](in.FetchError)
	switch {
	case waits && in.Suspended:
		return waiting(Suspended, "suspended; before that: "+dependency.Message)
	case waits:
		return dependency.verdict()
	case in.FetchError != nil && in.Suspended: // nobody tries again
		return waiting(Suspended, "suspended, and the sources could not be read before that; the clusters keep their objects: "+in.FetchError.Error())
	case in.FetchError != nil:
		if reason, message := SourceRefusal(in.FetchError); reason != "" {
			return terminal(reason, message)
		}
		return retrying(FetchFailed, FetchFailure(in.FetchError))
	case in.Planning != "":
		return inProgress("planning " + phrase.Revision(in.Planning))
	case r == nil && in.Suspended:
		return waiting(Suspended, "suspended before anything was read")
	case r == nil:
		return inProgress("nothing was read yet")
	}
	v := verdict{
		ready: r.Status, reason: r.Reason, message: r.Message,
		stalled: meta.IsStatusConditionTrue(in.Newest.Conditions, stalled),
	}
	if moving := meta.FindStatusCondition(in.Newest.Conditions, reconciling); moving != nil {
		v.reconciling = moving.Reason
	}
	return v
}
