// Package policy is the Karmada-compatible policy language: the Go types of policy.karmada.io/v1alpha1 and of
// WorkloadRebalancers, their defaults and their validation (Karmada §1), and accord's own RolloutPolicy. Scope is a
// field, not a type: PropagationPolicy and ClusterPropagationPolicy are one type Policy, OverridePolicy and
// ClusterOverridePolicy one type Override. Package propagate applies policies to objects and clusters.
package policy

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
)

// Meta holds the common fields of all policies.
type Meta struct {
	// Namespace is empty for the cluster-wide kinds.
	Namespace string
	Name      string
	Labels    map[string]string
	Origin    manifest.Origin
	// Lines holds the positions of the fields; empty if the manifest has no text of its own.
	Lines manifest.Lines
	// Deprecated lists the deprecated forms in the order of the manifest; each works like its replacement.
	Deprecated []Deprecation
}

// ClusterWide reports whether the policy is of the Cluster... kind.
func (m Meta) ClusterWide() bool { return m.Namespace == "" }

// At returns the position of a field, else of the nearest enclosing field, else of the manifest.
func (m Meta) At(field string) manifest.Origin { return m.Lines.At(m.Origin, field) }

// String returns "<namespace>/<name>", or "<name>" for a cluster-wide policy.
func (m Meta) String() string {
	if m.ClusterWide() {
		return m.Name
	}
	return m.Namespace + "/" + m.Name
}

// Policy is a PropagationPolicy or ClusterPropagationPolicy (Karmada §1.2).
type Policy struct {
	Meta
	Spec PolicySpec
}

// Equal reports whether two policies have the same content, name and place in Git.
func (p *Policy) Equal(other *Policy) bool { return p == other || reflect.DeepEqual(p, other) }

// Title returns "PropagationPolicy shop/web" or "ClusterPropagationPolicy web".
func (p *Policy) Title() string {
	if p.ClusterWide() {
		return "ClusterPropagationPolicy " + p.String()
	}
	return "PropagationPolicy " + p.String()
}

// PolicySpec is .spec of a PropagationPolicy, with every field of Karmada §1.2.
type PolicySpec struct {
	// ResourceSelectors select the objects that the policy may claim. An object needs to match one of them.
	// +kubebuilder:validation:MinItems=1
	ResourceSelectors []ResourceSelector `json:"resourceSelectors"`
	// Association is deprecated and has no effect. Write propagateDeps: true to send dependencies along.
	Association bool `json:"association,omitempty"`
	// PropagateDeps sends the dependencies of each object to its clusters: ConfigMaps, Secrets, ServiceAccounts and
	// PersistentVolumeClaims of a pod template, and the objects that an Ingress or ServiceImport needs.
	PropagateDeps bool `json:"propagateDeps,omitempty"`
	// Placement selects the clusters and divides the replicas. The empty placement is every cluster.
	Placement Placement `json:"placement,omitempty"`
	// Priority decides between policies of the same scope that match an object: the highest one claims it; 0 by
	// default.
	Priority *int32 `json:"priority,omitempty"`
	// Preemption is accepted and has no effect: accord computes all claims from Git at once. Never is the default.
	// With Always, each selector needs a name.
	// +kubebuilder:validation:Enum=Always;Never
	Preemption string `json:"preemption,omitempty"`
	// DependentOverrides are names of override policies without which no cluster gets the objects.
	DependentOverrides []string `json:"dependentOverrides,omitempty"`
	// SchedulerName is default-scheduler, which is the default. A policy with another scheduler places nothing.
	SchedulerName string `json:"schedulerName,omitempty"`
	// Failover moves objects away from failed clusters, and unhealthy workloads, if the Federation enables failover.
	Failover *Failover `json:"failover,omitempty"`
	// ConflictResolution decides about an object that exists on a cluster and that accord did not create: Abort (the
	// default) reports it, Overwrite adopts it.
	// +kubebuilder:validation:Enum=Abort;Overwrite
	ConflictResolution string `json:"conflictResolution,omitempty"`
	// ActivationPreference defers a change of the policy with Lazy: the change takes effect with the next change of
	// each object.
	// +kubebuilder:validation:Enum=Lazy
	ActivationPreference string `json:"activationPreference,omitempty"`
	// Suspension holds the objects at their current revision.
	Suspension *Suspension `json:"suspension,omitempty"`
	// PreserveResourcesOnDeletion keeps the objects on the clusters when they are deleted from Git.
	PreserveResourcesOnDeletion *bool `json:"preserveResourcesOnDeletion,omitempty"`
	// SchedulePriority is accepted and has no effect: accord plans all objects at once, without a queue.
	SchedulePriority *SchedulePriority `json:"schedulePriority,omitempty"`
}

// ResourceSelector selects the objects that a policy may claim (Karmada §2.1).
type ResourceSelector struct {
	// APIVersion is the group and version of the objects, "apps/v1" or "v1". The selector matches the kind in every
	// version.
	APIVersion string `json:"apiVersion"`
	// Kind of the objects.
	Kind string `json:"kind"`
	// Namespace of the objects; all namespaces by default. A policy with a namespace selects only there.
	Namespace string `json:"namespace,omitempty"`
	// Name of the one object to select; all names by default. accord ignores labelSelector if a name is set.
	Name string `json:"name,omitempty"`
	// LabelSelector selects the objects by their labels; all objects by default.
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}

// Suspension holds objects at their current revision (Karmada §3.8).
type Suspension struct {
	// Dispatching with the value true holds the objects on every cluster.
	Dispatching *bool `json:"dispatching,omitempty"`
	// DispatchingOnClusters holds the objects on the named clusters.
	DispatchingOnClusters *SuspensionClusters `json:"dispatchingOnClusters,omitempty"`
}

// SuspensionClusters names the clusters that are held.
type SuspensionClusters struct {
	// ClusterNames are the names of the clusters that are held.
	ClusterNames []string `json:"clusterNames,omitempty"`
}

// SchedulePriority is accepted and has no effect: all objects are planned at once, without a queue (Karmada §1.2).
type SchedulePriority struct {
	// PriorityClassSource is KubePriorityClass.
	// +kubebuilder:validation:Enum=KubePriorityClass
	PriorityClassSource string `json:"priorityClassSource"`
	// PriorityClassName is the name of a PriorityClass.
	PriorityClassName string `json:"priorityClassName"`
}
