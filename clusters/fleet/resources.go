package fleet

import corev1 "k8s.io/api/core/v1"

// Resources are what the nodes of a cluster have (Karmada §4.4).
type Resources struct {
	// Allocatable is the sum over nodes, Allocated what pods on nodes request, Allocating what pods that wait for a node do.
	// The number of pods is the resource "pods" in each.
	Allocatable corev1.ResourceList `json:"allocatable,omitempty"`
	Allocated   corev1.ResourceList `json:"allocated,omitempty"`
	Allocating  corev1.ResourceList `json:"allocating,omitempty"`
	// Nodes counts nodes by the grade of what they have left; empty when the cluster is not modelled.
	Nodes map[uint32]int64 `json:"nodes,omitempty"`
}

// Model is one grade of node sizes: a node of the grade has at least Min left of each resource (Karmada §1.8).
type Model struct {
	Grade uint32              `json:"grade"`
	Min   corev1.ResourceList `json:"min"`
}
