package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var ingress = Kind{
	Dependencies: ingressDependencies,
	Health:       health.Present(ingressHealth),
	Reflect:      func(u *unstructured.Unstructured) map[string]any { return read.Addresses(read.Status(u)) },
	Aggregate:    sum.Addresses,
}

// ingressDependencies returns the Secrets with its certificates (Karmada §6.7).
func ingressDependencies(u *unstructured.Unstructured) []Reference {
	refs := pods.References{Namespace: u.GetNamespace()}
	for _, t := range read.Objects(u.Object, "spec", "tls") {
		refs.Add("Secret", read.Text(t, "secretName"))
	}
	return refs.Sorted()
}

// ingressHealth: it is healthy when its controller has assigned an address (Karmada §6.6).
func ingressHealth(_, status map[string]any) (Health, string) {
	if !read.HasAddress(status) {
		return Progressing, "waits for an ingress controller to give it an address"
	}
	return Healthy, ""
}
