package diff

import (
	"github.com/accord-dev/accord/propagate"
)

var overrideStops = EffectKind{
	Code: "override-stops", Severity: propagate.Warning,
	Summary: "overrides that no longer change objects",
	find: func(c *comparison) []Effect {
		return c.overrideEffects(func(o *object) map[string][]string { return o.stopped }, "no longer changes")
	},
}
