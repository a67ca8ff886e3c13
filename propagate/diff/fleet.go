package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var clusterJoins = EffectKind{
	Code: "cluster-joins", Severity: propagate.Note,
	Summary: "clusters that are new in the fleet, and what they get",
	find: func(c *comparison) []Effect {
		return c.fleet(c.joins, func(name string, placed int) string {
			return fmt.Sprintf("cluster %s joins the fleet and gets %s", name, count(placed, "object"))
		}, c.after.Plan)
	},
}

var clusterLeaves = EffectKind{
	Code: "cluster-leaves", Severity: propagate.Warning,
	Summary: "clusters that leave the fleet: what runs there stays, no longer managed",
	find: func(c *comparison) []Effect {
		return c.fleet(c.leaves, func(name string, placed int) string {
			return fmt.Sprintf("cluster %s leaves the fleet: %s %s there as they are, no longer managed", name,
				count(placed, "object"), verb(placed, "stays", "stay"))
		}, c.before.Plan)
	},
}

func (c *comparison) fleet(names map[string]bool, say func(name string, placed int) string, plan *propagate.Plan) []Effect {
	var effects []Effect
	for _, name := range slices.Sorted(maps.Keys(names)) {
		effects = append(effects, Effect{Message: say(name, plan.Placed(name)), Clusters: []string{name}, At: c.clusterAt(name)})
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
