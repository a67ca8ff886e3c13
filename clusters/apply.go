package clusters

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/internal/jsonobject"
)

// onlyMetadata is the Accept header of a request whose answer has the metadata of an object. A server that cannot omit the rest
// sends the whole object.
const onlyMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

// Applied is the answer of an API server to a server-side apply.
type Applied struct {
	ResourceVersion string
	// ManagedFields are the entries without apiVersion, fieldsType and time.
	ManagedFields []metav1.ManagedFieldsEntry
}

// Apply applies an object with force: its fields are taken from other field managers. Metadata.Patch does the same, and decodes all
// metadata of the answer, which costs more than the rest of the request.
func (m *Member) Apply(ctx context.Context, resource schema.GroupVersionResource, namespace, name, manager string, object []byte) (Applied, error) {
	result := m.client.Patch(types.ApplyPatchType).AbsPath(address(resource, namespace, name)...).SetHeader("Accept", onlyMetadata).
		Param("fieldManager", manager).Param("force", "true").Body(object).Do(ctx)
	if err := result.Error(); err != nil {
		return Applied{}, err
	}
	text, err := result.Raw()
	if err != nil {
		return Applied{}, err
	}
	var a Applied
	if a.ResourceVersion, a.ManagedFields, err = jsonobject.Managed(text); err != nil {
		return Applied{}, fmt.Errorf("reading the answer: %w", err)
	}
	return a, nil
}

// address returns the path of an object.
func address(resource schema.GroupVersionResource, namespace, name string) []string {
	path := []string{"/apis", resource.Group, resource.Version}
	if resource.Group == "" {
		path = []string{"/api", resource.Version}
	}
	if namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	return append(path, resource.Resource, name)
}
