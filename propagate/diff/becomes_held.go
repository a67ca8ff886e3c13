package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/propagate"
)

var becomesHeld = EffectKind{
	Code: "becomes-held", Severity: propagate.Warning,
	Summary: "objects that are held back on clusters from now on, and by what",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			for _, why := range slices.Sorted(maps.Keys(o.held)) {
				g.add(why, o, o.held[why])
			}
		}
		return g.effects(func(why string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s held on %s: %s", things(e.Objects), verb(len(e.Objects), "becomes", "become"), where(e.Clusters), why)
			if p := of.first.after.Policy; p != nil {
				e.At = p.At("spec.suspension")
			}
		})
	},
}
