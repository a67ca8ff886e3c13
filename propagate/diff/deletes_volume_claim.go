package diff

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var deletesClaim = EffectKind{
	Code: "deletes-volume-claim", Severity: propagate.Warning,
	Summary: "a PersistentVolumeClaim is deleted; what becomes of the data is up to the storage class",
	find: func(c *comparison) []Effect {
		return c.deleted(claimKind, func(manifest.ID, map[string]bool) string {
			return "what becomes of the data is up to the reclaim policy of its volume"
		})
	},
}
