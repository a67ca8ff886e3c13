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

// Sum returns one digest for the objects of a rollout on a cluster, in any order: 32 hexadecimal digits of a SHA-256, and ""
// for no object.
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

// ShortID returns the form of a rollout ID for people: its first 12 hexadecimal digits.
func ShortID(id string) string {
	hex := strings.TrimPrefix(id, "sha256:")
	return hex[:min(12, len(hex))]
}
