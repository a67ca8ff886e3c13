package permit

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// Delivered are the objects of a Federation on one cluster before a plan becomes active.
type Delivered struct {
	// Count is the number of all objects.
	Count int
	// Unwanted are the objects that the plan no longer has and that accord would delete, with the labels of the live
	// objects; nil if the labels are unknown.
	Unwanted map[manifest.ID]map[string]string
}

// Revision returns why accord must not activate a plan: the reason of Prune for each cluster that would lose too much. An
// object that the active plan removes as well does not count; active is nil before the first plan. A cluster of which
// nothing is known is not in clusters; its delivery applies the limits.
func Revision(limits v1alpha1.PruneLimits, plan, active *propagate.Plan, clusters map[string]Delivered) map[string]string {
	blocked := map[string]string{}
	for name, has := range clusters {
		var remove []manifest.ID
		for _, id := range slices.SortedFunc(maps.Keys(has.Unwanted), manifest.ID.Compare) {
			labels := has.Unwanted[id]
			if plan.KeepReason(name, id, labels) == "" && !removes(active, name, id, labels) {
				remove = append(remove, id)
			}
		}
		if why := Prune(limits, remove, has.Count, plan.Empty()); why != "" {
			blocked[name] = why
		}
	}
	return blocked
}

// removes reports whether a plan, which may be nil, removes an object from a cluster.
func removes(p *propagate.Plan, cluster string, id manifest.ID, labels map[string]string) bool {
	return p != nil && !p.PlacedOn(cluster, id) && p.KeepReason(cluster, id, labels) == ""
}
