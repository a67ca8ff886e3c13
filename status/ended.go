package status

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Ended reports whether the status of a Release cannot change any more without a new commit. health requires that the objects are
// healthy, not only applied.
func Ended(s v1alpha1.ReleaseStatus, health bool) bool {
	if meta.IsStatusConditionTrue(s.Conditions, ready) || meta.IsStatusConditionTrue(s.Conditions, stalled) {
		return true
	}
	continues := func(r v1alpha1.RolloutStatus) bool {
		return r.Phase == Progressing || r.Phase == Soaking || r.Phase == WaitingForWindow
	}
	if slices.ContainsFunc(s.Rollouts, continues) {
		return false
	}
	x := s.Summary
	if !health {
		return meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Applied) || x.Total > 0 && x.Applied+x.Failed+x.Held+x.Unreachable >= x.Total
	}
	return x.Total > 0 && x.Progressing == 0 && x.Failed == 0
}
