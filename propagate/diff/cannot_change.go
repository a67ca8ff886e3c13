package diff

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/propagate"
)

var cannotChange = EffectKind{
	Code: "cannot-change", Severity: propagate.Error,
	Summary: "fields that the API does not let change: the cluster refuses the object until it is deleted there",
	find: func(c *comparison) []Effect {
		return c.gather(Recreate, func(o *object, s *span) (string, bool) {
			return joined(o.id.Group, o.id.Kind, strings.Join(s.immutable, ", ")), !s.renewed
		}).effects(func(key string, e *Effect, of *gathered) {
			parts := strings.Split(key, "\x00")
			e.Message = fmt.Sprintf("%s of %s cannot be changed: the change will be refused on %s until the object is deleted there",
				parts[2], things(e.Objects), where(e.Clusters))
		})
	},
}
