// Package autoscaler finds the workloads that HorizontalPodAutoscalers in Git scale.
package autoscaler

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

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
