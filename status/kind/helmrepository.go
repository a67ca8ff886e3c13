package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var helmRepository = repositoryOfCharts()

// repositoryOfCharts is a source, but one in a registry (type oci) is an address and no more: newer versions of Flux do
// not reconcile it and leave its status empty, so an empty status says nothing.
func repositoryOfCharts() Kind {
	k := source(refersTo([]string{"spec", "secretRef", "name"}), "url")
	fetched := k.Health
	registered := fluxHealth(present(func(_, _ map[string]any) (Health, string) { return Healthy, "an address in a registry" }))
	k.Observes = false
	k.Health = func(u *unstructured.Unstructured) (Health, string) {
		if text(u.Object, "spec", "type") == "oci" && len(statusOf(u)) == 0 {
			return registered(u)
		}
		return fetched(u)
	}
	return k
}
