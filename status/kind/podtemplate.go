package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// podSpec is where a kind has the spec of its pods. It finds nil when there is nothing of that shape.
type podSpec func(*unstructured.Unstructured) map[string]any

// ownSpec is the pod spec of a Pod.
func ownSpec(u *unstructured.Unstructured) map[string]any { return object(u.Object, "spec") }

// templateSpec is the pod spec of everything that makes pods by itself.
func templateSpec(u *unstructured.Unstructured) map[string]any {
	return object(u.Object, "spec", "template", "spec")
}

// template is the pod template of everything that makes pods by itself.
func template(u *unstructured.Unstructured) map[string]any {
	return object(u.Object, "spec", "template")
}

// jobTemplateSpec is the pod spec of what makes Jobs.
func jobTemplateSpec(u *unstructured.Unstructured) map[string]any {
	return object(u.Object, "spec", "jobTemplate", "spec", "template", "spec")
}

// containers are all containers of a pod spec: those that run, those before and beside them, and those for debugging.
func containers(spec map[string]any) []map[string]any {
	var all []map[string]any
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		all = append(all, maps(spec, list)...)
	}
	return all
}
