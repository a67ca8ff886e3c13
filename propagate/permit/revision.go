package permit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
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

// Revision returns why accord must not activate a plan: the reason of Prune for each cluster that would lose too much, or the ended
// hold that alone kept an object there. An object that the active plan removes as well does not count; active is nil before
// the first plan. A cluster of which nothing is known is not in clusters; its delivery applies the limits.
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
		if why := cmp.Or(Prune(limits, remove, has.Count, plan.Empty()), endedHold(active, name, remove, has.Unwanted)); why != "" {
			blocked[name] = why
		}
	}
	return blocked
}

// endedHold returns why the end of a hold must not delete objects that left Git while the active plan held them; empty if it may.
func endedHold(active *propagate.Plan, cluster string, remove []manifest.ID, labels map[manifest.ID]map[string]string) string {
	if active == nil {
		return ""
	}
	var held []manifest.ID
	var hold string
	for _, id := range remove {
		if why := active.HoldReason(cluster, id, labels[id]); why != "" {
			held, hold = append(held, id), why
		}
	}
	if len(held) == 0 {
		return ""
	}
	return fmt.Sprintf("the hold ends, and that deletes %s (%s); held until now: %s; a commit with the trailer \"Accord-Prune: allow\" allows it",
		phrase.Count(len(held), "object"), enumerate(held), hold)
}

// removes reports whether a plan, which may be nil, removes an object from a cluster.
func removes(p *propagate.Plan, cluster string, id manifest.ID, labels map[string]string) bool {
	return p != nil && !p.PlacedOn(cluster, id) && p.KeepReason(cluster, id, labels) == ""
}
