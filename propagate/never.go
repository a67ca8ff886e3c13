package propagate

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// never says why an object is not propagated whatever the policies say; empty when it may be (Karmada §8.1, and the
// configured ones of §8.2). What configures a federation is not a workload of it.
func (r rules) never(id manifest.ID, u *unstructured.Unstructured) string {
	switch {
	case id.Group == v1alpha1.GroupVersion.Group:
		return "kinds of group " + id.Group + " configure accord itself and are never propagated"
	case configures(id):
		return fmt.Sprintf("kinds of group %s are never propagated (Karmada §8.1)", id.Group)
	case id.Kind == "Event" && (id.Group == "" || id.Group == "events.k8s.io") || id.Group == "events.k8s.io":
		return "events are never propagated (Karmada §8.1)"
	case id.Group == "coordination.k8s.io":
		return "leases are never propagated (Karmada §8.1)"
	case u.GetLabels()[claimedByLabel] != "":
		return fmt.Sprintf("the label %s gives it to another owner (Karmada §8.1)", claimedByLabel)
	}
	namespace := id.Namespace
	if id.GroupKind() == namespaceKind {
		namespace = id.Name
	}
	return cmp.Or(r.namespace(namespace), r.api(id, u.GroupVersionKind().Version))
}

const claimedByLabel = "resourcetemplate.karmada.io/claimed-by"

// configures says whether a kind tells a federation what to do, here or in Karmada, and is no workload.
func configures(id manifest.ID) bool {
	switch id.Group {
	case v1alpha1.GroupVersion.Group,
		"cluster.karmada.io", "policy.karmada.io", "work.karmada.io", "config.karmada.io", "networking.karmada.io",
		"autoscaling.karmada.io", "remedy.karmada.io", "apps.karmada.io":
		return true
	}
	return false
}
