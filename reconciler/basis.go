package reconciler

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// basis identifies everything that a plan is made from. The same basis needs no second look.
type basis struct {
	revision   string
	trees      string
	generation int64  // of the Federation
	fleet      string // digest of what placement can see of the clusters
	allowPrune bool
}

// basisOf a checkout and the clusters of the hub.
func basisOf(fed *v1alpha1.Federation, c checkout, members []v1alpha1.Cluster) basis {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, m := range members { // sorted by name
		_ = enc.Encode([]any{m.Name, m.Labels, m.Spec}) // a hash takes everything, and these always encode
	}
	return basis{
		revision: c.revision(), trees: c.trees(), generation: fed.Generation,
		fleet: fmt.Sprintf("%x", h.Sum(nil)), allowPrune: c.allowsPrune(),
	}
}
