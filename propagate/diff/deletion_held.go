package diff

import (
	"fmt"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var deletionHeld = EffectKind{
	Code: "deletion-held", Severity: propagate.Note,
	Summary: "objects that are no longer placed on clusters and are not deleted because they are held there",
	find: func(c *comparison) []Effect {
		return c.groupOutcomes(Hold, func(_ *object, s *outcome) (string, bool) {
			return s.message, s.leaving
		}).effects(func(why string, e *Effect, of *effectGroup) {
			e.Message = fmt.Sprintf("%s %s no longer placed on %s and not deleted there: %s", describeObjects(e.Objects),
				phrase.Plural(len(e.Objects), "is", "are"), describeClusters(e.Clusters), why)
		})
	},
}
