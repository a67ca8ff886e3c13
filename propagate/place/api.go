package place

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/fleet"
)

// api: the cluster serves the kind, in the version the manifest is written in (Karmada §4.2, APIEnablement). It may
// stay where it is, so that a discovery that fails takes nothing away, and a cluster that was never asked is taken at
// its word. Which kinds there are is no field of a placement.
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

// title is how a sentence has a kind: "apps/v1 Deployment".
func title(gvk schema.GroupVersionKind) string {
	return gvk.GroupVersion().String() + " " + gvk.Kind
}
