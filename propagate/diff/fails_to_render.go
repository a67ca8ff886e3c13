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
		c.eachPlace(func(_ *object, s *span, name string) { deleting[name] = deleting[name] || s.verb == Delete })
		return failed.effects(func(why string, e *Effect, of *gathered) {
			message := why
			if m, ok := errors.AsType[*manifest.Error](of.span.failure); ok {
				message, e.At = m.Message, m.Origin
			}
			e.Message = fmt.Sprintf("%s cannot be rendered for %s: %s; what runs stays as it is", things(e.Objects), where(e.Clusters), message)
			if slices.ContainsFunc(e.Clusters, func(name string) bool { return deleting[name] }) {
				e.Message += ", and nothing is deleted there until it can"
			}
		})
	},
}
