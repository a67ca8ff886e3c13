package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var gainsClusters = EffectKind{
	Code: "gains-clusters", Severity: propagate.Note,
	Summary: "objects that are added to clusters",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			gained := without(o.gained, c.joins)
			if o.before == nil || len(gained) == 0 {
				continue
			}
			g.add(joinKey(fmt.Sprint(gained), policyTitle(o.after)), o, gained)
		}
		return g.effects(func(_ string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s now placed on %s", describeObjects(e.Objects), phrase.Plural(len(e.Objects), "is", "are"), describeClusters(e.Clusters))
			if p := of.first.after.Policy; p != nil {
				e.Message, e.At = e.Message+", chosen by "+p.Title(), p.At("spec.placement")
			}
		})
	},
}
