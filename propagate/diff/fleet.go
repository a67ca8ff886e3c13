package diff

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// fleet is one effect for every one of some clusters; placed is how many objects it has in the plan.
func (c *comparison) fleet(names map[string]bool, say func(name string, placed int) string, plan *propagate.Plan) []Effect {
	var effects []Effect
	for _, name := range slices.Sorted(maps.Keys(names)) {
		effects = append(effects, Effect{Message: say(name, plan.ObjectCount(name)), Clusters: []string{name}, At: c.clusterAt(name)})
	}
	return effects
}

// clusterAt is where a cluster is declared; nowhere for one that is known from a hub.
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
