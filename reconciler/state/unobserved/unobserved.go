// Package unobserved replaces the statuses of records after a restart that this process cannot check.
package unobserved

import (
	"iter"
	"slices"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status"
)

// Records returns copies of the records that claim something about clusters, with statuses that claim nothing. why is the
// reason for which nothing is observed. A Release claims something if its revision is the recorded one, or if it is Ready: the process before
// this one can have ended before it was superseded.
func Records(deliveries []*v1alpha1.Delivery, objects iter.Seq2[manifest.ID, *v1alpha1.FederatedObject], releases []*v1alpha1.Release, why string, now time.Time) []changes.Record {
	var all []changes.Record
	recorded := map[string]bool{}
	for _, d := range deliveries {
		recorded[d.Spec.Revision] = true
		if claims(d.Status.Conditions) {
			d = d.DeepCopy()
			d.Status = status.UnobservedDelivery(d.Status, d.Generation, why, now)
			all = append(all, d)
		}
	}
	for _, o := range objects {
		if claims(o.Status.Conditions) {
			o = o.DeepCopy()
			o.Status = status.UnobservedObject(o.Status, o.Generation, why, now)
			all = append(all, o)
		}
	}
	return append(all, Releases(releases, recorded, nil, why, now)...)
}

// Releases returns copies of the Releases that claim something and are neither superseded nor the one that is reported, with statuses that
// claim nothing. A Release claims something if its revision is recorded, or if it is Ready.
func Releases(releases []*v1alpha1.Release, recorded map[string]bool, reported *v1alpha1.Release, why string, now time.Time) (all []changes.Record) {
	for _, r := range releases {
		ready := meta.IsStatusConditionTrue(r.Status.Conditions, fluxmeta.ReadyCondition)
		if r != reported && r.Status.SupersededBy == "" && (ready || recorded[r.Spec.Revision] && claims(r.Status.Conditions)) {
			r = r.DeepCopy()
			r.Status = status.UnobservedRelease(r.Status, r.Generation, why, now)
			all = append(all, r)
		}
	}
	return all
}

// LastActive reports whether the plan with a digest, of a revision, became active last. A process that ends while it
// activates a plan leaves Deliveries of the plan before, and the Release of the new plan. A commit that was stopped since then supersedes both
// Releases: one of them was active later only if it superseded the other.
func LastActive(releases []*v1alpha1.Release, revision, digest string) bool {
	named := make(map[string]*v1alpha1.Release, len(releases))
	found := false
	for _, r := range releases {
		named[r.Name] = r
		found = found || r.Spec.Revision == revision && r.Spec.PlanDigest == digest
	}
	return found && !slices.ContainsFunc(releases, func(r *v1alpha1.Release) bool {
		return r.Spec.Revision != revision && !Stopped(r) && !precedes(r, revision, named)
	})
}

// precedes reports whether a Release was superseded by that of a revision, or by one which that superseded. A Release whose successor was
// deleted is an old one.
func precedes(r *v1alpha1.Release, revision string, named map[string]*v1alpha1.Release) bool {
	for range named {
		switch next := named[r.Status.SupersededBy]; {
		case r.Status.SupersededBy == "":
			return false
		case next == nil || next.Spec.Revision == revision:
			return true
		default:
			r = next
		}
	}
	return false
}

// Match is the relation between a plan and the recorded plan.
type Match int

const (
	// Different plans are not restored.
	Different Match = iota
	// Interrupted is the plan whose evictions the process before this one was activating: the records of some clusters are older.
	Interrupted
	// Same is the plan that became active last.
	Same
)

// Matches compares a plan with the recorded one. changed are the clusters whose Deliveries have other digests. An eviction needs no
// approval, but the plan has to be one that was active: its digest is that of a Release that was not stopped, and only clusters that
// take part in evictions changed.
func Matches(releases []*v1alpha1.Release, plan *propagate.Plan, revision string, changed []string) Match {
	active := LastActive(releases, revision, plan.Digest())
	for _, r := range releases {
		if r.Spec.Revision == revision && Stopped(r) && len(changed) == 0 && !active && LastActive(releases, revision, r.Spec.PlanDigest) {
			return Interrupted // its Release has the digest of a plan that was stopped
		} else if r.Spec.Revision == revision && Stopped(r) && len(changed) > 0 {
			return Different
		}
	}
	switch {
	case !active:
		return Different
	case len(changed) == 0:
		return Same
	}
	concerned := map[string]bool{}
	for id, tasks := range plan.Evictions() {
		for _, t := range tasks {
			concerned[t.FromCluster] = true
			for _, cluster := range t.ClustersBeforeFailover {
				concerned[cluster] = true
			}
		}
		if d := plan.Decision(id); d != nil {
			for _, choice := range d.Chosen {
				concerned[choice.Cluster] = true
			}
		}
	}
	if slices.ContainsFunc(changed, func(cluster string) bool { return !concerned[cluster] }) {
		return Different
	}
	return Interrupted
}

// Stopped reports whether the plan of a Release did not become active.
func Stopped(r *v1alpha1.Release) bool {
	for _, kind := range []string{v1alpha1.Rendered, v1alpha1.Approved, v1alpha1.PruneAllowed} {
		if meta.IsStatusConditionFalse(r.Status.Conditions, kind) {
			return true
		}
	}
	tried := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.DryRunSucceeded)
	return tried != nil && tried.Status != metav1.ConditionTrue
}

// claims reports whether conditions claim something that was observed.
func claims(conditions []metav1.Condition) bool {
	ready := meta.FindStatusCondition(conditions, fluxmeta.ReadyCondition)
	return ready != nil && ready.Reason != status.NotObserved
}
