package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var gainsClusters = EffectKind{
	Code: "gains-clusters", Severity: propagate.Note,
	Summary: "objects that go to more clusters than before",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			gained := without(o.gained, c.joins)
			if o.before == nil || len(gained) == 0 {
				continue
			}
			g.add(joined(fmt.Sprint(gained), title(o.after)), o, gained)
		}
		return g.effects(func(_ string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s %s", things(e.Objects), verb(len(e.Objects), "gains", "gain"), where(e.Clusters))
			if p := of.first.after.Policy; p != nil {
				e.Message, e.At = e.Message+", chosen by "+p.Title(), p.At("spec.placement")
			}
		})
	},
}
