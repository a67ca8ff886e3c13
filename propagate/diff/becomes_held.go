package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var becomesHeld = EffectKind{
	Code: "becomes-held", Severity: propagate.Warning,
	Summary: "objects that become held on clusters, and the cause",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			for _, why := range slices.Sorted(maps.Keys(o.held)) {
				g.add(why, o, o.held[why])
			}
		}
		return g.effects(func(why string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s held on %s: %s", describeObjects(e.Objects), phrase.Plural(len(e.Objects), "becomes", "become"), describeClusters(e.Clusters), why)
			if p := of.first.after.Policy; p != nil {
				e.At = p.At("spec.suspension")
			}
		})
	},
}
