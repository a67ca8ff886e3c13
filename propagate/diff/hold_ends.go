package diff

import (
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/permit"
)

var holdEnds = EffectKind{
	Code: "hold-ends", Severity: propagate.Error,
	Summary: "a hold ends, and objects that only the hold kept are deleted at once; a warning if the commit allows it",
	find: func(c *comparison) []Effect {
		if !c.options.Prune {
			return nil
		}
		var effects []Effect
		for _, h := range permit.EndedHolds(c.before.Plan, c.after.Plan) {
			e := Effect{Message: h.String(), Objects: h.Objects, Clusters: []string{h.Cluster}, At: h.At}
			if c.options.AllowPrune {
				e.Severity = propagate.Warning
			}
			effects = append(effects, e)
		}
		return effects
	},
}
