package interpret

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Component is one of the pod templates of an object (Karmada §7.1 GetComponents).
type Component struct {
	Name     string
	Replicas int32
	// Requirements is what one replica needs, as the script says it; nil when it says nothing.
	Requirements map[string]any
}

// components calls GetComponents(obj): a list of {name, replicas, replicaRequirements}, or nil.
func (s *script) components(u *unstructured.Unstructured) ([]Component, error) {
	out, err := s.call(u.Object)
	if err != nil {
		return nil, err
	}
	list, err := s.list(out)
	if err != nil {
		return nil, err
	}
	components := make([]Component, 0, len(list))
	for i, entry := range list {
		c, err := component(entry)
		if err != nil {
			return nil, s.fail(fmt.Errorf("component %d %w", i+1, err))
		}
		components = append(components, c)
	}
	return components, nil
}

func component(entry map[string]any) (Component, error) {
	name, _ := entry["name"].(string)
	if name == "" {
		return Component{}, fmt.Errorf("has no name")
	}
	n, ok := entry["replicas"].(int64)
	if !ok || n < 0 || n != int64(int32(n)) {
		return Component{}, fmt.Errorf("%s has no number of replicas", shorten(name))
	}
	needs, _ := entry["replicaRequirements"].(map[string]any)
	return Component{Name: name, Replicas: int32(n), Requirements: needs}, nil
}

// list is the first result, a list of objects; nil and an empty table are an empty one.
func (s *script) list(out results) ([]map[string]any, error) {
	v, err := out.read(out.first)
	if err != nil {
		return nil, s.fail(err)
	}
	items, ok := v.([]any)
	if _, nothing := v.(empty); !ok && v != nil && !nothing {
		return nil, s.fail(fmt.Errorf("%s returns a %s, and not a list", s.op.Function(), out.first.Type()))
	}
	objects := make([]map[string]any, 0, len(items))
	for i, item := range items {
		settled, _ := settle(item)
		object, ok := settled.(map[string]any)
		if !ok {
			return nil, s.fail(fmt.Errorf("entry %d of what %s returns is no object", i+1, s.op.Function()))
		}
		objects = append(objects, object)
	}
	return objects, nil
}
