// Package autoscaler finds the workloads whose replicas belong to an autoscaler: by a HorizontalPodAutoscaler in Git, or by a label.
package autoscaler

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// ReplicasPath is the path of the replica count of all kinds that an autoscaler scales.
const ReplicasPath = "spec.replicas"

// Labelled reports whether a label leaves the replicas of a workload to an autoscaler on the member (Karmada §6.3).
func Labelled(u *unstructured.Unstructured) bool {
	return u.GetLabels()["resourcetemplate.karmada.io/retain-replicas"] == "true"
}

// Is reports whether an object is a HorizontalPodAutoscaler.
func Is(id manifest.ID) bool {
	return id.Group == "autoscaling" && id.Kind == "HorizontalPodAutoscaler"
}

// Target returns the workload that a HorizontalPodAutoscaler scales.
func Target(id manifest.ID, u *unstructured.Unstructured) manifest.ID {
	ref, _, _ := unstructured.NestedStringMap(u.Object, "spec", "scaleTargetRef") // without it the autoscaler scales nothing
	gk := schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]).GroupKind()
	return manifest.ID{Group: gk.Group, Kind: gk.Kind, Namespace: id.Namespace, Name: ref["name"]}
}
