package mirror

import (
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Excluded returns the reason why an object is never mirrored; empty if it may be mirrored. An object that configures an API
// server would configure the hub: anyone with push access to Git could create a role beside the credentials of all clusters,
// and a webhook without a server would refuse every write.
func Excluded(id manifest.ID) string {
	switch {
	case id.Group == "" && id.Kind == "Secret":
		return "Secrets are not mirrored"
	case actsOnServer(id):
		return "it would act on the hub itself"
	case id.Group == "apiextensions.k8s.io" && strings.HasSuffix(id.Name, "."+v1alpha1.GroupVersion.Group):
		return "it defines a kind of accord"
	case isReserved(id.Namespace), id.Group == "" && id.Kind == "Namespace" && isReserved(id.Name):
		return "its namespace belongs to the hub"
	}
	return ""
}

// actsOnServer reports whether an API server or a controller of every hub acts on objects of the kind.
func actsOnServer(id manifest.ID) bool {
	switch id.Group {
	case "rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiregistration.k8s.io", "flowcontrol.apiserver.k8s.io",
		"certificates.k8s.io", "authentication.k8s.io", "authorization.k8s.io", "internal.apiserver.k8s.io",
		"storagemigration.k8s.io", "coordination.k8s.io":
		return true
	case "":
		switch id.Kind {
		case "Node", "ResourceQuota", "LimitRange", "Event", "Endpoints":
			return true
		}
	}
	return false
}

// isReserved reports whether a namespace belongs to Kubernetes or accord.
func isReserved(namespace string) bool {
	return strings.HasPrefix(namespace, "kube-") || strings.HasPrefix(namespace, "accord-")
}
