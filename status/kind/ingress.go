package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var ingress = Kind{
	Dependencies: ingressDependencies,
	Health:       present(ingressHealth),
	Reflect:      func(u *unstructured.Unstructured) map[string]any { return keepAddresses(statusOf(u)) },
	Aggregate:    addresses,
}

// ingressDependencies are the Secrets with its certificates (Karmada §6.7).
func ingressDependencies(u *unstructured.Unstructured) []Reference {
	refs := references{namespace: u.GetNamespace()}
	for _, t := range maps(u.Object, "spec", "tls") {
		refs.add("Secret", text(t, "secretName"))
	}
	return refs.sorted()
}

// ingressHealth: it serves when its controller has given it an address (Karmada §6.6).
func ingressHealth(_, status map[string]any) (Health, string) {
	if !addressed(status) {
		return Progressing, "waits for an ingress controller to give it an address"
	}
	return Healthy, ""
}
