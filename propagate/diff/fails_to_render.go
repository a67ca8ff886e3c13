package diff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var failsToRender = EffectKind{
	Code: "fails-to-render", Severity: propagate.Error,
	Summary: "objects that can no longer be rendered: what runs stays as it is, and nothing is pruned on those clusters",
	find: func(c *comparison) []Effect {
		failed := c.gather(Fail, func(_ *object, s *span) (string, bool) { return s.why, true })
		deleting := map[string]bool{}
		for _, o := range c.objects {
			for _, s := range o.spans {
				for _, name := range s.clusters {
					deleting[name] = deleting[name] || s.verb == Delete
				}
			}
		}
		return failed.effects(func(why string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s cannot be rendered for %s: %s; what runs stays as it is", things(e.Objects), where(e.Clusters), why)
			if slices.ContainsFunc(e.Clusters, func(name string) bool { return deleting[name] }) {
				e.Message += ", and nothing is deleted there until it can"
			}
			e.At = c.mistake(of.first, e.Clusters[0])
		})
	},
}

// mistake is where the failure of an object is to be mended: what the error says, or else the object.
func (c *comparison) mistake(o *object, cluster string) manifest.Origin {
	across, ok := c.after.Plan.Across(o.id)
	if !ok {
		return o.at()
	}
	for i, choice := range across.Chosen {
		if m, ok := errors.AsType[*manifest.Error](across.Results[across.Of[i]].Err); ok && choice.Cluster == cluster {
			return m.Origin
		}
	}
	return o.at()
}
