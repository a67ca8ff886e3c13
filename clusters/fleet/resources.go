package fleet

import corev1 "k8s.io/api/core/v1"

// Resources holds the capacity and usage of a cluster's nodes (Karmada §4.4).
type Resources struct {
	// Allocatable is the sum over all nodes, Allocated the requests of pods on nodes, and Allocating the requests of
	// pods without a node. In each, the resource "pods" is a number of pods.
	Allocatable corev1.ResourceList `json:"allocatable,omitempty"`
	Allocated   corev1.ResourceList `json:"allocated,omitempty"`
	Allocating  corev1.ResourceList `json:"allocating,omitempty"`
	// Nodes counts nodes by the grade of their free resources; empty if the cluster has no models.
	Nodes map[uint32]int64 `json:"nodes,omitempty"`
}

// Model is one grade of node sizes: a node of the grade has at least Min of each resource free (Karmada §1.8).
type Model struct {
	Grade uint32              `json:"grade"`
	Min   corev1.ResourceList `json:"min"`
}
