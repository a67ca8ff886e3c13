package place

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/fleet"
)

// api refuses a cluster that does not serve the kind, in the version of the manifest (Karmada §4.2, APIEnablement).
// Existing objects stay, so a failed discovery removes nothing; a cluster without discovery data passes. No field of a
// placement is involved.
func api(q Question, c fleet.Cluster) (why, field string) {
	if c.APIs == nil || q.On[c.Name] || q.Provided[c.Name] {
		return "", ""
	}
	switch c.APIs.Enablement(q.GVK) {
	case fleet.Enabled:
		return "", ""
	case fleet.Unknown:
		return fmt.Sprintf("may serve %s or not: it could not list all its APIs", title(q.GVK)), ""
	}
	why = "does not serve " + title(q.GVK)
	if others := c.APIs.Versions(q.GVK.GroupKind()); len(others) > 0 {
		why += ", but it does in version " + strings.Join(others, ", ")
	}
	return why, ""
}

// title returns a kind for a sentence: "apps/v1 Deployment".
func title(gvk schema.GroupVersionKind) string {
	return gvk.GroupVersion().String() + " " + gvk.Kind
}
