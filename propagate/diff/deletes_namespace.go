package diff

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var deletesNamespace = EffectKind{
	Code: "deletes-namespace", Severity: propagate.Warning,
	Summary: "a Namespace is deleted, and with it everything in it on that cluster",
	find: func(c *comparison) []Effect {
		return c.deleted(namespaceKind, func(id manifest.ID, clusters map[string]bool) string {
			along := c.placed(clusters, func(d manifest.ID) bool { return d.Namespace == id.Name })
			return "everything in it goes with it, " + ours(along)
		})
	},
}
