package diff

import (
	"fmt"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/permit"
)

var pruneBlocked = EffectKind{
	Code: "prune-blocked", Severity: propagate.Error,
	Summary: "a cluster would lose more objects than the prune limits allow, so accord deletes none there",
	find: func(c *comparison) []Effect {
		if c.options.AllowPrune {
			return nil
		}
		remove := map[string][]manifest.ID{}
		c.eachOutcome(func(o *object, s *outcome, name string) {
			if s.action == Delete {
				remove[name] = append(remove[name], o.id) // sorted by ID
			}
		})
		stopped := map[string]*Effect{} // by message
		for _, name := range slices.Sorted(maps.Keys(remove)) {
			why := permit.Prune(c.options.PruneLimits, remove[name], c.before.Plan.ObjectCount(name), c.after.Plan.Empty())
			if why == "" {
				continue
			}
			if stopped[why] == nil {
				stopped[why] = &Effect{Objects: remove[name]}
			}
			stopped[why].Clusters = append(stopped[why].Clusters, name)
		}
		var effects []Effect
		for why, e := range stopped { // in any order: effects are sorted later
			e.Message = fmt.Sprintf("pruning is blocked on %s: it %s", describeClusters(e.Clusters), why)
			effects = append(effects, *e)
		}
		return effects
	},
}
