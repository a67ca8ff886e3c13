package fleet

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// APIs are the kinds that a cluster serves.
type APIs struct {
	// Complete: the whole discovery succeeded, so what is not in Served is not there.
	Complete bool `json:"complete,omitempty"`
	// Served has every kind in every version.
	Served map[schema.GroupVersionKind]bool `json:"-"`
}

// Enablement is what is known about a kind on a cluster (Karmada §1.8).
type Enablement string

// What is listed is Enabled; what is not is Disabled when the list is complete, and Unknown otherwise.
const (
	Enabled  Enablement = "Enabled"
	Disabled Enablement = "Disabled"
	Unknown  Enablement = "Unknown"
)

// Enablement says whether the cluster serves a kind in exactly this version. Of a cluster that was never asked (nil)
// nothing is known.
func (a *APIs) Enablement(gvk schema.GroupVersionKind) Enablement {
	switch {
	case a == nil:
		return Unknown
	case a.Served[gvk]:
		return Enabled
	case a.Complete:
		return Disabled
	}
	return Unknown
}

// Versions are those that a kind is served in, the most stable and newest first, as Kubernetes orders them.
func (a *APIs) Versions(kind schema.GroupKind) []string {
	if a == nil {
		return nil
	}
	var all []string
	for gvk, served := range a.Served {
		if served && gvk.GroupKind() == kind {
			all = append(all, gvk.Version)
		}
	}
	slices.SortFunc(all, func(x, y string) int { return version.CompareKubeAwareVersionStrings(y, x) })
	return all
}
