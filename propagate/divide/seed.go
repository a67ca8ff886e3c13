package divide

import (
	"hash/fnv"

	"github.com/accord-dev/accord/api/manifest"
)

// Seed replaces the UID that an object in Git does not have: it breaks ties, always in the same way (B15).
func Seed(id manifest.ID) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id.Group + "/" + id.Kind + "/" + id.Namespace + "/" + id.Name))
	return h.Sum32()
}
