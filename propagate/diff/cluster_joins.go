package diff

import (
	"fmt"

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
