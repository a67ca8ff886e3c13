package fleet

import "k8s.io/apimachinery/pkg/runtime/schema"

// APIs are the kinds that a cluster serves.
type APIs struct {
	// Complete: the whole discovery succeeded, so what is not in Served is not there.
	Complete bool `json:"complete,omitempty"`
	// Served has every kind in every version.
	Served map[schema.GroupVersionKind]bool `json:"-"`
}
