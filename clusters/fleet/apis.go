package fleet

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// APIs holds the kinds that a cluster serves.
type APIs struct {
	// Complete reports whether discovery succeeded for all groups, so that a kind outside Served does not exist.
	Complete bool `json:"complete,omitempty"`
	// Served contains every kind in every version.
	Served map[schema.GroupVersionKind]bool `json:"-"`
	// ClusterScoped is true for a kind without a namespace, and false for a kind with one. It lacks kinds of unknown scope,
	// and those of groups without a dot: these are Kubernetes' own, and everybody knows their scope.
	ClusterScoped map[schema.GroupKind]bool `json:"-"`
}

// Enablement is the knowledge about a kind on a cluster (Karmada §1.8).
type Enablement string

// A listed kind is Enabled. Any other is Disabled if the list is complete, and Unknown otherwise.
const (
	Enabled  Enablement = "Enabled"
	Disabled Enablement = "Disabled"
	Unknown  Enablement = "Unknown"
)

// Enablement reports whether the cluster serves a kind in exactly this version; Unknown for nil APIs.
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

// Versions returns the served versions of a kind, the most stable and newest first, in Kubernetes' order.
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
