package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types below have Karmada's schema (Karmada §1.8), so that accord can plan for a Cluster that was exported from Karmada
// with its status, without a connection to the cluster.

// APIEnablement is an API group and version that a cluster serves.
type APIEnablement struct {
	// GroupVersion is "apps/v1", or "v1" for the core group.
	GroupVersion string `json:"groupVersion"`
	// Resources of the group version.
	Resources []APIResource `json:"resources,omitempty"`
}

// APIResource is one kind of a group and version.
type APIResource struct {
	// Name is the plural name; empty when the cluster serves so many kinds that names are omitted.
	Name string `json:"name,omitempty"`
	// Kind of the resource.
	Kind string `json:"kind"`
	// Scope is Namespaced or Cluster; empty if unknown, as in a status of Karmada, or when the cluster serves so many kinds that
	// scopes are omitted.
	Scope string `json:"scope,omitempty"`
}

// Values of APIResource.Scope, as in a CustomResourceDefinition.
const (
	ScopeNamespaced = "Namespaced"
	ScopeCluster    = "Cluster"
)

// ResourceSummary is the capacity of the nodes of a cluster (Karmada §4.4). The resource "pods" counts pods.
type ResourceSummary struct {
	// Allocatable is the sum over all nodes.
	Allocatable corev1.ResourceList `json:"allocatable,omitempty"`
	// Allocating is the sum of the requests of pods that wait for a node.
	Allocating corev1.ResourceList `json:"allocating,omitempty"`
	// Allocated is the sum of the requests of pods that have a node and have not ended.
	Allocated corev1.ResourceList `json:"allocated,omitempty"`
	// AllocatableModelings counts nodes by the grade of their free resources.
	AllocatableModelings []AllocatableModeling `json:"allocatableModelings,omitempty"`
	// DefaultModels reports whether the grades are the default ones, because the Cluster has no resourceModels.
	DefaultModels bool `json:"defaultModels,omitempty"`
	// MeasuredAt is the time at which the nodes and pods were counted.
	MeasuredAt *metav1.Time `json:"measuredAt,omitempty"`
}

// AllocatableModeling counts the nodes of one grade.
type AllocatableModeling struct {
	// Grade of the resource model.
	Grade uint32 `json:"grade"`
	// Count is the number of nodes of the grade.
	Count int64 `json:"count"`
}
