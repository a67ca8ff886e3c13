// Package fleet holds the member clusters as plain values: the planner's knowledge about them. It does no I/O.
package fleet

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Cluster is one member as the planner sees it. The zero value of every field except Name means "unknown".
type Cluster struct {
	Name     string            `json:"name"`
	Labels   map[string]string `json:"labels,omitempty"`
	Provider string            `json:"provider,omitempty"`
	Region   string            `json:"region,omitempty"`
	Zones    []string          `json:"zones,omitempty"`
	Taints   []corev1.Taint    `json:"taints,omitempty"`
	// Hold means that the cluster is held: nothing is written to it. It is nil if the cluster is not held.
	Hold *v1alpha1.ClusterHold `json:"hold,omitempty"`
	// Leaving is set while the Cluster is being deleted: nothing new is placed there (Karmada §4.2).
	Leaving bool `json:"leaving,omitempty"`
	// Conditions holds the conditions of the Cluster, status by type ("Ready": "True").
	Conditions map[string]string `json:"conditions,omitempty"`
	// APIs holds the kinds that the cluster serves; nil before the first discovery, and then no kind is rejected.
	APIs *APIs `json:"apis,omitempty"`
	// Resources holds the capacity and usage of the nodes; nil if unknown, which counts as no capacity (Karmada
	// §4.4).
	Resources *Resources `json:"resources,omitempty"`
	// Models holds the grades of node sizes in ascending order (Karmada §1.8).
	Models []Model `json:"models,omitempty"`
	// Origin is the place of the Cluster manifest in Git; zero if it was created on the hub.
	Origin manifest.Origin `json:"origin,omitzero"`
}
