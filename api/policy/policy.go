// Package policy is the Karmada-compatible policy language: the Go types of policy.karmada.io/v1alpha1 and of
// WorkloadRebalancers, their defaults and their validation (Karmada §1), and accord's own RolloutPolicy. Scope is a
// field, not a type: PropagationPolicy and ClusterPropagationPolicy are one type Policy, OverridePolicy and
// ClusterOverridePolicy one type Override. Package propagate applies policies to objects and clusters.
package policy

import (
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

// Title returns "PropagationPolicy shop/web" or "ClusterPropagationPolicy web".
func (p *Policy) Title() string {
	if p.ClusterWide() {
		return "ClusterPropagationPolicy " + p.String()
	}
	return "PropagationPolicy " + p.String()
}

// PolicySpec is .spec of a PropagationPolicy, with every field of Karmada §1.2.
type PolicySpec struct {
	ResourceSelectors           []ResourceSelector `json:"resourceSelectors"`
	Association                 bool               `json:"association,omitempty"`
	PropagateDeps               bool               `json:"propagateDeps,omitempty"`
	Placement                   Placement          `json:"placement,omitempty"`
	Priority                    *int32             `json:"priority,omitempty"`
	Preemption                  string             `json:"preemption,omitempty"`
	DependentOverrides          []string           `json:"dependentOverrides,omitempty"`
	SchedulerName               string             `json:"schedulerName,omitempty"`
	Failover                    *Failover          `json:"failover,omitempty"`
	ConflictResolution          string             `json:"conflictResolution,omitempty"`
	ActivationPreference        string             `json:"activationPreference,omitempty"`
	Suspension                  *Suspension        `json:"suspension,omitempty"`
	PreserveResourcesOnDeletion *bool              `json:"preserveResourcesOnDeletion,omitempty"`
	SchedulePriority            *SchedulePriority  `json:"schedulePriority,omitempty"`
}

// ResourceSelector selects the objects that a policy may claim (Karmada §2.1).
type ResourceSelector struct {
	APIVersion    string                `json:"apiVersion"`
	Kind          string                `json:"kind"`
	Namespace     string                `json:"namespace,omitempty"`
	Name          string                `json:"name,omitempty"`
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`
}

// Suspension holds objects at their current revision (Karmada §3.8).
type Suspension struct {
	Dispatching           *bool               `json:"dispatching,omitempty"`
	DispatchingOnClusters *SuspensionClusters `json:"dispatchingOnClusters,omitempty"`
}

// SuspensionClusters names the clusters that are held.
type SuspensionClusters struct {
	ClusterNames []string `json:"clusterNames,omitempty"`
}

// SchedulePriority is accepted and has no effect: all objects are planned at once, without a queue (Karmada §1.2).
type SchedulePriority struct {
	PriorityClassSource string `json:"priorityClassSource"`
	PriorityClassName   string `json:"priorityClassName"`
}
