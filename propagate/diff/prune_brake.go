package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/permit"
)

var pruneBrake = EffectKind{
	Code: "prune-brake", Severity: propagate.Error,
	Summary: "more would be deleted from a cluster than the prune brake allows, so nothing is",
	find: func(c *comparison) []Effect {
		if c.options.AllowPrune {
			return nil
		}
		remove := map[string][]manifest.ID{}
		c.eachPlace(func(o *object, s *span, name string) {
			if s.verb == Delete {
				remove[name] = append(remove[name], o.id) // by ID
			}
		})
		stopped := map[string]*Effect{} // by sentence
		for _, name := range slices.Sorted(maps.Keys(remove)) {
			why := permit.Prune(c.options.Brake, remove[name], c.before.Plan.ObjectCount(name), c.after.Plan.Empty())
			if why == "" {
				continue
			}
			if stopped[why] == nil {
				stopped[why] = &Effect{Objects: remove[name]}
			}
			stopped[why].Clusters = append(stopped[why].Clusters, name)
		}
		var effects []Effect
		for why, e := range stopped { // effects sorts
			e.Message = fmt.Sprintf("on %s the prune brake stops it: it %s", where(e.Clusters), why)
			effects = append(effects, *e)
		}
		return effects
	},
}
