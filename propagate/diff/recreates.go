package diff

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

var recreates = EffectKind{
	Code: "recreates", Severity: propagate.Warning,
	Summary: "objects with changed immutable fields that Git allows accord to recreate",
	find: func(c *comparison) []Effect {
		return c.groupOutcomes(Recreate, func(o *object, s *outcome) (string, bool) {
			return joinKey(o.id.Group, o.id.Kind, strings.Join(s.immutable, ", ")), s.recreated
		}).effects(func(key string, e *Effect, of *effectGroup) {
			parts := strings.Split(key, "\x00")
			e.Message = fmt.Sprintf("%s of %s cannot be changed: accord recreates the object on %s if the API server rejects the change (%s: %s)",
				parts[2], describeObjects(e.Objects), describeClusters(e.Clusters), v1alpha1.ForceAnnotation, v1alpha1.ForceEnabled)
		})
	},
}
