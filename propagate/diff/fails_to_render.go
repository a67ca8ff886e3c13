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
	Summary: "objects that can no longer be rendered: clusters keep the applied version, and nothing is pruned there",
	find: func(c *comparison) []Effect {
		failed := c.groupOutcomes(Fail, func(_ *object, s *outcome) (string, bool) { return s.message, true })
		deleting := map[string]bool{}
		c.eachOutcome(func(_ *object, s *outcome, name string) { deleting[name] = deleting[name] || s.action == Delete })
		return failed.effects(func(why string, e *Effect, of *effectGroup) {
			message := why
			if m, ok := errors.AsType[*manifest.Error](of.outcome.failure); ok {
				message, e.At = m.Message, m.Origin
			}
			e.Message = fmt.Sprintf("%s cannot be rendered for %s: %s; the applied version stays", describeObjects(e.Objects), describeClusters(e.Clusters), message)
			if slices.ContainsFunc(e.Clusters, func(name string) bool { return deleting[name] }) {
				e.Message += ", and nothing is pruned there until it can be rendered"
			}
		})
	},
}
