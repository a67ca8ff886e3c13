package delivery

import "github.com/accord-dev/accord/api/v1alpha1"

// Revisions returns the revisions that clusters run or may return to, beside the active one.
func Revisions(active string, clusters map[string]*State) map[string]bool {
	used := map[string]bool{active: true}
	for _, l := range clusters {
		for _, r := range l.Delivery.Status.Rollouts {
			used[r.Current.Revision], used[r.MovedRevision] = true, true
			for _, v := range []*v1alpha1.RolloutVersion{r.LastHealthy, r.RollbackTo} {
				if v != nil {
					used[v.Revision] = true
				}
			}
		}
	}
	return used
}
