package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var takesOver = EffectKind{
	Code: "takes-over", Severity: propagate.Warning,
	Summary: "objects that may overwrite existing objects that accord does not manage",
	find: func(c *comparison) []Effect {
		g := grouping{}
		for _, o := range c.objects {
			if o.takesOver {
				g.add(policyTitle(o.after), o, nil)
			}
		}
		return g.effects(func(_ string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s over existing objects of the same name that accord does not manage (conflictResolution: Overwrite)",
				describeObjects(e.Objects), phrase.Plural(len(e.Objects), "takes", "take"))
			if p := of.first.after.Policy; p != nil {
				e.At = p.At("spec.conflictResolution")
			}
		})
	},
}
