package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var goesNowhere = EffectKind{
	Code: "goes-nowhere", Severity: propagate.Warning,
	Summary: "objects in Git that no cluster gets any more, and why",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			if o.before != nil && o.after != nil && len(o.lost) > 0 && len(o.after.Chosen) == 0 {
				g.add(o.after.Why, o, o.lost)
			}
		}
		return g.effects(func(why string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s to no cluster any more: %s", things(e.Objects), verb(len(e.Objects), "goes", "go"), why)
		})
	},
}
