package diff

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var deletesVolumeClaim = EffectKind{
	Code: "deletes-volume-claim", Severity: propagate.Warning,
	Summary: "a PersistentVolumeClaim is deleted; the reclaim policy of its volume decides about the data",
	find: func(c *comparison) []Effect {
		return c.cascadingDeletes(pvcKind, func(manifest.ID, map[string]bool) string {
			return "the reclaim policy of its volume decides about the data"
		})
	},
}
