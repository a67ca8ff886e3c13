package interpret

import (
	"errors"
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Component is one of the pod templates of an object (Karmada §7.1 GetComponents).
type Component struct {
	Name     string
	Replicas int32
	// Requirements is what one replica needs, as the script says it; nil when it says nothing.
	Requirements map[string]any
}

// json is the component as GetComponents returns it.
func (c Component) json() map[string]any {
	entry := map[string]any{"name": c.Name, "replicas": c.Replicas}
	if c.Requirements != nil {
		entry["replicaRequirements"] = c.Requirements
	}
	return entry
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

// together is what is needed to find room for all components at once, as built-in kinds with several pod templates have it:
// as many replicas as there are, each with the largest request of each resource.
func together(components []Component) (workload, error) {
	var total int64
	largest := corev1.ResourceList{}
	for _, c := range components {
		requests, err := requestsOf(c.Requirements)
		if err != nil {
			return workload{}, fmt.Errorf("component %s: %w", shorten(c.Name), err)
		}
		total += int64(c.Replicas)
		for name, q := range requests {
			if had, ok := largest[name]; !ok || q.Cmp(had) > 0 {
				largest[name] = q
			}
		}
	}
	return workload{replicas: int32(min(total, math.MaxInt32)), requests: largest}, nil
}

// room is what an object with components needs.
func (s *script) room(u *unstructured.Unstructured) (workload, error) {
	components, err := s.components(u)
	if err != nil {
		return workload{}, err
	}
	w, err := together(components)
	if err != nil {
		return workload{}, s.fail(err)
	}
	return w, nil
}

func component(entry map[string]any) (Component, error) {
	name, _ := entry["name"].(string)
	if name == "" {
		return Component{}, errors.New("has no name")
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
