package pods

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// SpecOf is where a kind has the spec of its pods. It finds nil when there is nothing of that shape.
type SpecOf func(*unstructured.Unstructured) map[string]any

// Own is the pod spec of a Pod.
func Own(u *unstructured.Unstructured) map[string]any { return read.Object(u.Object, "spec") }

// TemplateSpec is the pod spec of everything that makes pods by itself.
func TemplateSpec(u *unstructured.Unstructured) map[string]any {
	return read.Object(u.Object, "spec", "template", "spec")
}

// Template is the pod template of everything that makes pods by itself.
func Template(u *unstructured.Unstructured) map[string]any {
	return read.Object(u.Object, "spec", "template")
}

// JobTemplateSpec is the pod spec of what makes Jobs.
func JobTemplateSpec(u *unstructured.Unstructured) map[string]any {
	return read.Object(u.Object, "spec", "jobTemplate", "spec", "template", "spec")
}

// containers are all containers of a pod spec: those that run, those before and beside them, and those for debugging.
func containers(spec map[string]any) []map[string]any {
	var all []map[string]any
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		all = append(all, read.Objects(spec, list)...)
	}
	return all
}
