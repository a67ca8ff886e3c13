// Package fleet is the member clusters as plain values: what deciding needs to know about them
// and nothing that has to be asked for. It does no I/O.
package fleet

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
)

// Cluster is one member as the planner sees it. The zero value of every field but Name means "not said".
type Cluster struct {
	Name     string            `json:"name"`
	Labels   map[string]string `json:"labels,omitempty"`
	Provider string            `json:"provider,omitempty"`
	Region   string            `json:"region,omitempty"`
	Zones    []string          `json:"zones,omitempty"`
	Taints   []corev1.Taint    `json:"taints,omitempty"`
	// Origin is where the Cluster manifest stands in Git; zero when it was made on the hub.
	Origin manifest.Origin `json:"origin,omitzero"`
}
