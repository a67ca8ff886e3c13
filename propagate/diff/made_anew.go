package diff

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

var madeAnew = EffectKind{
	Code: "made-anew", Severity: propagate.Warning,
	Summary: "objects that Git allows to be deleted and made anew, with fields that the API does not let change",
	find: func(c *comparison) []Effect {
		return c.gather(Recreate, func(o *object, s *span) (string, bool) {
			return joined(o.id.Group, o.id.Kind, strings.Join(s.immutable, ", ")), s.renewed
		}).effects(func(key string, e *Effect, of *gathered) {
			parts := strings.Split(key, "\x00")
			e.Message = fmt.Sprintf("%s of %s cannot be changed: where the API server says so, accord deletes the object and makes it anew on %s (%s: %s)",
				parts[2], things(e.Objects), where(e.Clusters), v1alpha1.ForceAnnotation, v1alpha1.ForceEnabled)
		})
	},
}
