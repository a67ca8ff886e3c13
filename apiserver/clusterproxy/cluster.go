package clusterproxy

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Cluster is a Cluster of accord in the schema of Karmada.
type Cluster v1alpha1.Cluster

// DeepCopyObject implements runtime.Object.
func (c *Cluster) DeepCopyObject() runtime.Object {
	return (*Cluster)((*v1alpha1.Cluster)(c).DeepCopy())
}

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (Cluster) OpenAPIModelName() string { return "io.karmada.cluster.v1alpha1.Cluster" }

// ClusterList is a list of Clusters.
type ClusterList v1alpha1.ClusterList

// DeepCopyObject implements runtime.Object.
func (l *ClusterList) DeepCopyObject() runtime.Object {
	return (*ClusterList)((*v1alpha1.ClusterList)(l).DeepCopy())
}

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (ClusterList) OpenAPIModelName() string { return "io.karmada.cluster.v1alpha1.ClusterList" }

// project removes what Karmada's schema does not have, and changes c. Karmada has all taints in the spec.
func project(c *v1alpha1.Cluster) *Cluster {
	c.ManagedFields = nil
	c.SetGroupVersionKind(GroupVersion.WithKind(kind))
	c.Spec.Hold = nil
	c.Spec.Taints = append(slices.Clip(c.Spec.Taints), c.Status.Taints...)
	s := &c.Status
	s.ObservedGeneration, s.Message, s.LastProbeTime, s.Taints, s.NodeSummary.Display = 0, "", nil, nil, ""
	for _, enabled := range s.APIEnablements {
		for i := range enabled.Resources {
			enabled.Resources[i].Scope = ""
		}
	}
	if s.ResourceSummary != nil {
		s.ResourceSummary.DefaultModels, s.ResourceSummary.MeasuredAt = false, nil
	}
	return (*Cluster)(c)
}
