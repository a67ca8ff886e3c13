package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var clusterJoins = EffectKind{
	Code: "cluster-joins", Severity: propagate.Note,
	Summary: "clusters that join the fleet, and how many objects they receive",
	find: func(c *comparison) []Effect {
		return c.fleetEffects(c.joins, func(name string, placed int) string {
			return fmt.Sprintf("cluster %s joins the fleet and receives %s", name, phrase.Count(placed, "object"))
		}, c.after.Plan)
	},
}
