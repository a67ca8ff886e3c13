package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What placing and dividing need to know of a cluster, in Karmada's shape (Karmada §1.8), so that a Cluster exported from
// Karmada with its status can be planned for without being asked.

// APIEnablement is one group and version that a cluster serves.
type APIEnablement struct {
	// GroupVersion is "apps/v1", or "v1" for the core group.
	GroupVersion string        `json:"groupVersion"`
	Resources    []APIResource `json:"resources,omitempty"`
}

// APIResource is one kind of a group and version.
type APIResource struct {
	// Name is the plural name; empty where there are so many kinds that names are left out.
	Name string `json:"name,omitempty"`
	Kind string `json:"kind"`
}

// ResourceSummary is what the nodes of a cluster have (Karmada §4.4). The number of pods is the resource "pods" in each.
type ResourceSummary struct {
	// Allocatable is the sum over all nodes.
	Allocatable corev1.ResourceList `json:"allocatable,omitempty"`
	// Allocating is what pods request that wait for a node.
	Allocating corev1.ResourceList `json:"allocating,omitempty"`
	// Allocated is what pods request that have a node and have not ended.
	Allocated corev1.ResourceList `json:"allocated,omitempty"`
	// AllocatableModelings counts nodes by the grade of what they have left.
	AllocatableModelings []AllocatableModeling `json:"allocatableModelings,omitempty"`
	// DefaultModels says that the grades are the default ones, because the Cluster has no resourceModels.
	DefaultModels bool `json:"defaultModels,omitempty"`
	// MeasuredAt is when the cluster was asked.
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
}

// AllocatableModeling is how many nodes are of one grade.
type AllocatableModeling struct {
	Grade uint32 `json:"grade"`
	Count int64  `json:"count"`
}
