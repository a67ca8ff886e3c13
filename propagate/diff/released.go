package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/propagate"
)

var released = EffectKind{
	Code: "released", Severity: propagate.Warning,
	Summary: "objects that are no longer held back on clusters: they get what was held back",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			for _, why := range slices.Sorted(maps.Keys(o.released)) {
				g.add(why, o, o.released[why])
			}
		}
		return g.effects(func(why string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s no longer held on %s and %s what was held back: until now %s",
				things(e.Objects), verb(len(e.Objects), "is", "are"), where(e.Clusters), verb(len(e.Objects), "gets", "get"), why)
			if p := of.first.after.Policy; p != nil {
				e.At = p.At("spec")
			}
		})
	},
}
