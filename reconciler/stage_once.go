package reconciler

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/status"
)

// staged refuses a plan with stages when nobody waits: between two stages a cluster has to become healthy.
func (o OnceOptions) staged(plan *propagate.Plan) error {
	for _, r := range plan.Rollouts() {
		if len(r.Clusters) > 0 && o.Wait == 0 {
			return fmt.Errorf("%s (%s) has clusters get a change one after the other, and each has to become healthy before the next: "+
				"wait for as long as all stages may take, or let controllers do it", r.Policy.Title(), r.Policy.Origin)
		}
	}
	return nil
}

// rolling says that stages go on by themselves.
func rolling(s v1alpha1.ReleaseStatus) bool {
	return slices.ContainsFunc(s.Rollouts, func(r v1alpha1.RolloutStatus) bool {
		return r.Phase == status.Progressing || r.Phase == status.Soaking || r.Phase == status.WaitingForWindow
	})
}
