package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

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
