package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var ingress = Kind{
	Health:    present(ingressHealth),
	Reflect:   func(u *unstructured.Unstructured) map[string]any { return keepAddresses(statusOf(u)) },
	Aggregate: addresses,
}

// ingressHealth: it serves when its controller has given it an address (Karmada §6.6).
func ingressHealth(_, status map[string]any) (Health, string) {
	if !addressed(status) {
		return Progressing, "waits for an ingress controller to give it an address"
	}
	return Healthy, ""
}
