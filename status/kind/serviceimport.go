package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// serviceImport is the multi-cluster Service of the sig-multicluster API.
var serviceImport = Kind{Dependencies: serviceImportDependencies, Health: genericHealth}

// serviceImportDependencies returns the Service that is derived from the import and every EndpointSlice of it (Karmada
// §6.7).
func serviceImportDependencies(u *unstructured.Unstructured) []Reference {
	if u.GetName() == "" {
		return nil
	}
	namespace, derived := u.GetNamespace(), "derived-"+u.GetName()
	return []Reference{
		{ID: manifest.ID{Kind: "Service", Namespace: namespace, Name: derived}},
		{
			ID:     manifest.ID{Group: "discovery.k8s.io", Kind: "EndpointSlice", Namespace: namespace},
			Labels: map[string]string{"kubernetes.io/service-name": derived},
		},
	}
}
