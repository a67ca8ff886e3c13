package diff

import (
	"fmt"

	"github.com/accord-dev/accord/propagate"
)

var keeps = EffectKind{
	Code: "keeps", Severity: propagate.Warning,
	Summary: "objects that are no longer wanted on clusters and stay there, no longer managed",
	find: func(c *comparison) []Effect {
		return c.gather(Leave, func(_ *object, s *span) (string, bool) {
			return s.why, !c.leaves[s.clusters[0]]
		}).effects(func(why string, e *Effect, of *gathered) {
			e.Message = fmt.Sprintf("%s %s no longer wanted on %s and %s there, no longer managed: %s", things(e.Objects),
				verb(len(e.Objects), "is", "are"), where(e.Clusters), verb(len(e.Objects), "stays", "stay"), why)
		})
	},
}
