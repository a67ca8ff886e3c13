package exclude

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// Generated returns the reason why accord propagates an object only if a policy selects it by name; empty for other objects.
// The control plane of each cluster makes such objects for itself, and exports of a cluster contain them: a copy would
// overwrite the member's own.
func Generated(id manifest.ID, u *unstructured.Unstructured) string {
	maker := ""
	switch {
	case id.Group == "" && id.Kind == "ConfigMap" && id.Name == "kube-root-ca.crt":
		maker = "each cluster writes its own CA certificate into kube-root-ca.crt"
	case id.Group == "" && id.Kind == "Secret" && secretType(u) == "kubernetes.io/service-account-token":
		maker = "each cluster issues its own service account tokens"
	case id.Group == "coordination.k8s.io":
		maker = "the components of each cluster write their own leases"
	case id.Group == "" && id.Kind == "Event", id.Group == "events.k8s.io":
		maker = "each cluster records its own events"
	case id.Group == "" && id.Kind == "Endpoints", id.Group == "discovery.k8s.io" && id.Kind == "EndpointSlice":
		maker = "each cluster makes its own endpoints"
	case id == (manifest.ID{Kind: "Service", Namespace: "default", Name: "kubernetes"}):
		maker = "each cluster has a Service kubernetes for its own API server"
	default:
		owner := metav1.GetControllerOfNoCopy(u)
		if owner == nil {
			return ""
		}
		maker = fmt.Sprintf("a controller of each cluster makes it for its %s (metadata.ownerReferences)", owner.Kind)
	}
	return maker + "; accord propagates a copy only if a policy selects the object by name"
}

func secretType(u *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(u.Object, "type")
	return text
}

// FollowsService reports whether an object is an EndpointSlice, which goes along with the ServiceImport that needs it (Karmada
// §6.7).
func FollowsService(id manifest.ID) bool {
	return id.Group == "discovery.k8s.io" && id.Kind == "EndpointSlice"
}
