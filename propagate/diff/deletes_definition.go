package diff

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var deletesDefinition = EffectKind{
	Code: "deletes-definition", Severity: propagate.Warning,
	Summary: "a CustomResourceDefinition is deleted, and with it every object of the kind on that cluster",
	find: func(c *comparison) []Effect {
		return c.deleted(definitionKind, func(id manifest.ID, clusters map[string]bool) string {
			defined := manifest.Defines(c.before.Plan.Manifest(id))
			along := c.placed(clusters, func(d manifest.ID) bool { return d.GroupKind() == defined })
			return fmt.Sprintf("every %s there goes with it, %s", defined.Kind, ours(along))
		})
	},
}
