package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var keeps = EffectKind{
	Code: "keeps", Severity: propagate.Warning,
	Summary: "objects that are no longer placed on clusters and stay there unmanaged",
	find: func(c *comparison) []Effect {
		return c.groupOutcomes(Keep, func(_ *object, s *outcome) (string, bool) {
			return s.message, !c.leaves[s.clusters[0]]
		}).effects(func(why string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s no longer placed on %s and %s there unmanaged: %s", describeObjects(e.Objects),
				phrase.Plural(len(e.Objects), "is", "are"), describeClusters(e.Clusters), phrase.Plural(len(e.Objects), "stays", "stay"), why)
		})
	},
}
