package interpret

import (
	"errors"
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/interpret/sandbox"
)

// Component is one of the pod templates of an object (Karmada §7.1 GetComponents).
type Component struct {
	Name     string
	Replicas int32
	// Requirements of one replica, as the script returned them; nil if it returned none.
	Requirements map[string]any
}

// json returns the component in the form that GetComponents returns.
func (c Component) json() map[string]any {
	entry := map[string]any{"name": c.Name, "replicas": c.Replicas}
	if c.Requirements != nil {
		entry["replicaRequirements"] = c.Requirements
	}
	return entry
}

// components calls GetComponents(obj): a list of {name, replicas, replicaRequirements}, or nil.
func (s *script) components(u *unstructured.Unstructured) ([]Component, error) {
	return entries(s, u, "component", component)
}

// together returns the total of all components, as for built-in kinds with several pod templates: as many replicas as
// there are, each with the largest request of each resource.
func together(components []Component) (workload, error) {
	var total int64
	largest := corev1.ResourceList{}
	for _, c := range components {
		requests, err := requestsOf(c.Requirements)
		if err != nil {
			return workload{}, fmt.Errorf("component %s: %w", sandbox.Shorten(c.Name), err)
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

// room returns the total of an object's components.
func (s *script) room(u *unstructured.Unstructured) (workload, error) {
	components, err := s.components(u)
	if err != nil {
		return workload{}, err
	}
	w, err := together(components)
	if err != nil {
		return workload{}, unusable{s.fail(err)}
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
		return Component{}, fmt.Errorf("%s has no number of replicas", sandbox.Shorten(name))
	}
	needs, _ := entry["replicaRequirements"].(map[string]any)
	return Component{Name: name, Replicas: int32(n), Requirements: needs}, nil
}
