package propagate

import (
	"hash/fnv"

	"github.com/accord-dev/accord/api/manifest"
)

// seed stands in for the UID that an object in Git does not have: it decides ties, the same way for ever (B15).
func seed(id manifest.ID) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id.Group + "/" + id.Kind + "/" + id.Namespace + "/" + id.Name))
	return h.Sum32()
}
