package propagate

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// retainReplicas is Karmada's label for a workload whose replicas belong to an autoscaler on the member (Karmada §6.3).
const retainReplicas = "resourcetemplate.karmada.io/retain-replicas"

// replicasPath is the path of the replica count of all kinds that an autoscaler scales.
const replicasPath = "spec.replicas"

// scaled returns the objects that a HorizontalPodAutoscaler in Git scales: their replicas belong to it.
func scaled(items []*item) map[manifest.ID]bool {
	targets := map[manifest.ID]bool{}
	for _, it := range items {
		id := it.decision.ID
		if !isAutoscaler(id) {
			continue
		}
		ref, _, _ := unstructured.NestedStringMap(it.manifest.Object, "spec", "scaleTargetRef") // without it the autoscaler scales nothing
		gk := schema.FromAPIVersionAndKind(ref["apiVersion"], ref["kind"]).GroupKind()
		targets[manifest.ID{Group: gk.Group, Kind: gk.Kind, Namespace: id.Namespace, Name: ref["name"]}] = true
	}
	return targets
}

func isAutoscaler(id manifest.ID) bool {
	return id.Group == "autoscaling" && id.Kind == "HorizontalPodAutoscaler"
}

// yields returns the fields of an object that belong to the member once another field manager has set them; see
// kind.Kind.
func (p *Plan) yields(it *item) []string {
	if it.kind.Replicas == nil || it.manifest.GetLabels()[retainReplicas] != "true" && !p.relations.scaled[it.decision.ID] {
		return it.kind.Yields
	}
	return append(slices.Clone(it.kind.Yields), replicasPath)
}
