package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var clusterLeaves = EffectKind{
	Code: "cluster-leaves", Severity: propagate.Warning,
	Summary: "clusters that leave the fleet: their objects stay there unmanaged",
	find: func(c *comparison) []Effect {
		return c.fleetEffects(c.leaves, func(name string, placed int) string {
			return fmt.Sprintf("cluster %s leaves the fleet: %s %s there unmanaged", name,
				phrase.Count(placed, "object"), phrase.Plural(placed, "stays", "stay"))
		}, c.before.Plan)
	},
}
