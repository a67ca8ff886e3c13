package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

// Item is one object of a rollout on a cluster.
type Item struct {
	ID     manifest.ID
	Digest string
}

// Sum is one digest for the objects of a rollout on a cluster, in whatever order: 32 hexadecimal digits of a SHA-256, and
// nothing for no object.
func Sum(items []Item) string {
	if len(items) == 0 {
		return ""
	}
	items = slices.SortedFunc(slices.Values(items), func(a, b Item) int { return a.ID.Compare(b.ID) })
	h := sha256.New()
	for _, it := range items {
		for _, part := range []string{it.ID.Group, it.ID.Kind, it.ID.Namespace, it.ID.Name, it.Digest} {
			h.Write([]byte(part))
			h.Write([]byte{0})
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ShortID is what of a Target people write: its first 12 hexadecimal digits.
func ShortID(target string) string {
	hex := strings.TrimPrefix(target, "sha256:")
	return hex[:min(12, len(hex))]
}
