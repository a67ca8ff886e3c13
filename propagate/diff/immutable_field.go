package diff

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/propagate"
)

var immutableField = EffectKind{
	Code: "immutable-field", Severity: propagate.Error,
	Summary: "immutable fields that change: the cluster rejects the object until it is deleted there",
	find: func(c *comparison) []Effect {
		return c.groupOutcomes(Recreate, func(o *object, s *outcome) (string, bool) {
			return joinKey(o.id.Group, o.id.Kind, strings.Join(s.immutable, ", ")), !s.recreated
		}).effects(func(key string, e *Effect, of *effectGroup) {
			parts := strings.Split(key, "\x00")
			e.Message = fmt.Sprintf("%s of %s cannot be changed: %s will reject the change until the object is deleted there",
				parts[2], describeObjects(e.Objects), describeClusters(e.Clusters))
		})
	},
}
