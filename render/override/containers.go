package override

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// container is one container of an object. Its fields may be changed in place.
type container struct {
	pointer string // JSON pointer
	fields  map[string]any
}

func (c container) name() string {
	name, _ := c.fields["name"].(string)
	return name
}

// containerPath returns the path of the containers of a kind, whatever its group. Overriders without a predicate find
// no containers in other kinds (Karmada §3.3).
func containerPath(kind string) []string {
	switch kind {
	case "Pod":
		return []string{"spec", "containers"}
	case "ReplicaSet", "Deployment", "DaemonSet", "StatefulSet", "Job":
		return []string{"spec", "template", "spec", "containers"}
	}
	return nil
}

// containersOf returns the containers of u without init containers (Karmada §3.3), or none for other kinds.
func containersOf(u *unstructured.Unstructured) ([]container, error) {
	path := containerPath(u.GetKind())
	if path == nil {
		return nil, nil
	}
	value, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: every field above the containers must be an object", strings.Join(path, "."))
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
