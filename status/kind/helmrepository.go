package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

var helmRepository = repositoryOfCharts()

// repositoryOfCharts is a source, but one in a registry (type oci) is only an address: newer versions of Flux do not
// reconcile it and leave its status empty, so an empty status means nothing.
func repositoryOfCharts() Kind {
	k := source(refersTo([]string{"spec", "secretRef", "name"}), "url")
	fetched := k.Health
	registered := fluxHealth(health.Present(func(_, _ map[string]any) (Health, string) { return Healthy, "an address in a registry" }))
	k.Observes = false
	k.Health = func(u *unstructured.Unstructured) (Health, string) {
		if read.Text(u.Object, "spec", "type") == "oci" && len(read.Status(u)) == 0 {
			return registered(u)
		}
		return fetched(u)
	}
	return k
}
