package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var takesOver = EffectKind{
	Code: "takes-over", Severity: propagate.Warning,
	Summary: "objects that from now on replace what exists on clusters and is not ours",
	find: func(c *comparison) []Effect {
		g := gathering{}
		for _, o := range c.objects {
			if o.takesOver {
				g.add(title(o.after), o, nil)
			}
		}
		return g.effects(func(_ string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s over what exists under the same name and is not ours (conflictResolution: Overwrite)",
				things(e.Objects), verb(len(e.Objects), "takes", "take"))
			if p := of.first.after.Policy; p != nil {
				e.At = p.At("spec.conflictResolution")
			}
		})
	},
}
