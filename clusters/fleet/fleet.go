// Package fleet is the member clusters as plain values: what deciding needs to know about them
// and nothing that has to be asked for. It does no I/O.
package fleet

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Cluster is one member as the planner sees it. The zero value of every field but Name means "not said".
type Cluster struct {
	Name     string            `json:"name"`
	Labels   map[string]string `json:"labels,omitempty"`
	Provider string            `json:"provider,omitempty"`
	Region   string            `json:"region,omitempty"`
	Zones    []string          `json:"zones,omitempty"`
	Taints   []corev1.Taint    `json:"taints,omitempty"`
	// Hold keeps hands off the cluster; nil when nobody holds it.
	Hold *v1alpha1.ClusterHold `json:"hold,omitempty"`
	// Leaving is set while the Cluster is being deleted: nothing new is placed there (Karmada §4.2).
	Leaving bool `json:"leaving,omitempty"`
	// Conditions are what the Cluster says of itself, status by type ("Ready": "True").
	Conditions map[string]string `json:"conditions,omitempty"`
	// APIs are what the cluster serves; nil when it was never asked, and then nothing is refused for it.
	APIs *APIs `json:"apis,omitempty"`
	// Resources are what its nodes have and what is taken; nil when that is not known: no room (Karmada §4.4).
	Resources *Resources `json:"resources,omitempty"`
	// Models are the grades of node sizes, in ascending order (Karmada §1.8).
	Models []Model `json:"models,omitempty"`
	// Origin is where the Cluster manifest stands in Git; zero when it was made on the hub.
	Origin manifest.Origin `json:"origin,omitzero"`
}
