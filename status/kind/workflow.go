package kind

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// workflow is that of Argo. Its status does not add up: it is the graph of its own steps (Karmada §6.10). A workflow
// without parallelism runs without a limit; it counts as 1 and stays without one.
var workflow = Kind{
	Replicas: func(u *unstructured.Unstructured) (int32, bool) {
		return replicasOf(countOr(defaultReplicas, u.Object, "spec", "parallelism")), true
	},
	SetReplicas:  func(u *unstructured.Unstructured, n int32) { setSpec(u, "parallelism", n) },
	Dependencies: workflowDependencies,
	Health:       present(workflowHealth),
	Yields:       []string{"spec.suspend"},
}

// workflowDependencies are its accounts, and what its pods mount and are pulled with. Claims that it makes by itself
// (volumeClaimTemplates) are none.
func workflowDependencies(u *unstructured.Unstructured) []Reference {
	refs := references{namespace: u.GetNamespace(), found: podDependencies(ownSpec)(u)}
	if account := text(u.Object, "spec", "executor", "serviceAccountName"); account != "default" {
		refs.add("ServiceAccount", account)
	}
	return refs.sorted()
}

// workflowHealth: it is as it should be while it runs and when it has succeeded (Karmada §6.10). One that waits to be
// started is not there yet.
func workflowHealth(spec, status map[string]any) (Health, string) {
	phase := text(status, "phase")
	message := cmp.Or(phase, "not started")
	if m := text(status, "message"); m != "" {
		message += ": " + m
	}
	if truth(spec, "suspend") {
		message += "; suspended (spec.suspend)"
	}
	switch phase {
	case "Running", "Succeeded":
		return Healthy, message
	case "Failed", "Error":
		return Failed, message
	}
	return Progressing, message
}
