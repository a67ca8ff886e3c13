package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var staysHeld = EffectKind{
	Code: "stays-held", Severity: propagate.Note,
	Summary: "objects that are no longer wanted on clusters and are not deleted, because they are held there",
	find: func(c *comparison) []Effect {
		return c.gather(Hold, func(_ *object, s *span) (string, bool) {
			return s.why, s.leaving
		}).effects(func(why string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s no longer wanted on %s and not deleted there: %s", things(e.Objects),
				verb(len(e.Objects), "is", "are"), where(e.Clusters), why)
		})
	},
}
