package diff

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var deletesCRD = EffectKind{
	Code: "deletes-crd", Severity: propagate.Warning,
	Summary: "a CustomResourceDefinition is deleted with all objects of its kind on that cluster",
	find: func(c *comparison) []Effect {
		return c.cascadingDeletes(manifest.DefinitionKind, func(id manifest.ID, clusters map[string]bool) string {
			defined := manifest.Defines(c.before.Plan.Manifest(id).Get())
			along := c.placed(clusters, func(d manifest.ID) bool { return d.GroupKind() == defined })
			return fmt.Sprintf("every %s there is deleted, %s", defined.Kind, ofThoseInGit(along))
		})
	},
}
