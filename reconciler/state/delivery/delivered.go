package delivery

import (
	"iter"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/permit"
)

// Delivered returns the observed objects that target does not have and that accord would delete. Every kind must be
// listed. Strangers, objects of others with accord's label, do not count.
func (l *State) Delivered(target propagate.ClusterPlan) permit.Delivered {
	has := permit.Delivered{Count: l.Live.Len(), Unwanted: map[manifest.ID]map[string]string{}}
	unwanted := l.Live.Except(target)
	if sameIDs(l.Target, target) {
		unwanted = l.extra
	}
	for id, seen := range unwanted {
		if seen.IsStranger() {
			has.Count--
		} else if !seen.Deleting && !seen.Preserve && !seen.Adopted {
			has.Unwanted[id] = seen.Labels
		}
	}
	return has
}

// Recorded is Delivered for the recorded objects of a cluster that was not listed. The value is set for those that stay on
// the cluster when they are no longer wanted.
func Recorded(recorded iter.Seq2[manifest.ID, bool], target propagate.ClusterPlan) permit.Delivered {
	has, wanted := permit.Delivered{Unwanted: map[manifest.ID]map[string]string{}}, map[manifest.ID]bool{}
	for _, p := range target.Objects {
		wanted[p.ID] = true
	}
	for _, x := range target.Failed {
		wanted[x.ID] = true
	}
	for id, stays := range recorded {
		has.Count++
		if !wanted[id] && !stays {
			has.Unwanted[id] = nil
		}
	}
	return has
}

// Revision returns the revision of most Deliveries, which may not be none: while the leader writes those of a new commit, the others
// follow.
func Revision(deliveries iter.Seq[*v1alpha1.Delivery]) string {
	count := map[string]int{}
	for d := range deliveries {
		count[d.Spec.Revision]++
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return count[a] - count[b] })
}

// All returns the Deliveries of clusters.
func All(clusters map[string]*State) iter.Seq[*v1alpha1.Delivery] {
	return func(yield func(*v1alpha1.Delivery) bool) {
		for _, l := range clusters {
			if !yield(l.Delivery) {
				return
			}
		}
	}
}
