package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var noLongerHeld = EffectKind{
	Code: "no-longer-held", Severity: propagate.Warning,
	Summary: "objects that are no longer held on clusters and receive the held change",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			for _, why := range slices.Sorted(maps.Keys(o.released)) {
				g.add(why, o, o.released[why])
			}
		}
		return g.effects(func(why string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s no longer held on %s and %s the held change; previously held: %s",
				describeObjects(e.Objects), phrase.Plural(len(e.Objects), "is", "are"), describeClusters(e.Clusters), phrase.Plural(len(e.Objects), "receives", "receive"), why)
			if p := of.first.after.Policy; p != nil {
				e.At = p.At("spec")
			}
		})
	},
}
