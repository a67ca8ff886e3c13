package decision

import (
	"slices"

	"github.com/accord-dev/accord/propagate/previous"
)

// Leaves reports whether a choice has no place for an object on a cluster on which it would stay with another choice.
func Leaves(before previous.Decision, stays, choice []Choice) bool {
	has := func(list []Choice, cluster string) bool {
		return slices.ContainsFunc(list, func(c Choice) bool { return c.Cluster == cluster })
	}
	return slices.ContainsFunc(before.Clusters, func(c previous.Cluster) bool { return has(stays, c.Name) && !has(choice, c.Name) })
}
