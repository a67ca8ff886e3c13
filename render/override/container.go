package override

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// container is one container of an object; fields are its own, to be changed in place.
type container struct {
	pointer string // JSON pointer
	fields  map[string]any
}

func (c container) name() string {
	name, _ := c.fields["name"].(string)
	return name
}

// containerPath says where a kind has its containers. Only the kind counts, not the group, and other kinds have none
// that overriders would find without a predicate (Karmada §3.3).
func containerPath(kind string) []string {
	switch kind {
	case "Pod":
		return []string{"spec", "containers"}
	case "ReplicaSet", "Deployment", "DaemonSet", "StatefulSet", "Job":
		return []string{"spec", "template", "spec", "containers"}
	}
	return nil
}

// containersOf are the containers of u, without init containers (Karmada §3.3); none for kinds that have none.
func containersOf(u *unstructured.Unstructured) ([]container, error) {
	path := containerPath(u.GetKind())
	if path == nil {
		return nil, nil
	}
	value, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err != nil {
		return nil, fmt.Errorf("reading the containers: %w", err)
	}
	if !found || value == nil {
		return nil, nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is not a list", strings.Join(path, "."))
	}
	containers := make([]container, len(list))
	for i, item := range list {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s[%d] is not a container", strings.Join(path, "."), i)
		}
		containers[i] = container{pointer: fmt.Sprintf("/%s/%d", strings.Join(path, "/"), i), fields: fields}
	}
	return containers, nil
}
