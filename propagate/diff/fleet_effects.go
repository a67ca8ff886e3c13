package diff

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// fleetEffects returns one effect for each of the named clusters; placed is how many objects the plan places there.
func (c *comparison) fleetEffects(names map[string]bool, describe func(name string, placed int) string, plan *propagate.Plan) []Effect {
	var effects []Effect
	for _, name := range slices.Sorted(maps.Keys(names)) {
		effects = append(effects, Effect{Message: describe(name, plan.ObjectCount(name)), Clusters: []string{name}, At: c.clusterAt(name)})
	}
	return effects
}

// clusterAt returns the place that declares a cluster; it is empty for a cluster that only the hub knows.
func (c *comparison) clusterAt(name string) manifest.Origin {
	for _, side := range []Side{c.after, c.before} {
		for _, cluster := range side.Plan.Fleet() {
			if cluster.Name == name {
				return cluster.Origin
			}
		}
	}
	return manifest.Origin{}
}
