package diff

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var deletesNamespace = EffectKind{
	Code: "deletes-namespace", Severity: propagate.Warning,
	Summary: "a Namespace is deleted with all objects in it on that cluster",
	find: func(c *comparison) []Effect {
		return c.cascadingDeletes(namespaceKind, func(id manifest.ID, clusters map[string]bool) string {
			along := c.placed(clusters, func(d manifest.ID) bool { return d.Namespace == id.Name })
			return "all objects in it are deleted, " + ofThoseInGit(along)
		})
	},
}
