// Package pods reads pod templates: their requests, dependencies, defaults and differences.
package pods

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// SpecOf returns the pod spec of an object; nil if there is none.
type SpecOf func(*unstructured.Unstructured) map[string]any

// Own returns the pod spec of a Pod.
func Own(u *unstructured.Unstructured) map[string]any { return read.Object(u.Object, "spec") }

// TemplateSpec returns the pod spec in spec.template.
func TemplateSpec(u *unstructured.Unstructured) map[string]any {
	return read.Object(u.Object, "spec", "template", "spec")
}

// Template returns the pod template in spec.template.
func Template(u *unstructured.Unstructured) map[string]any {
	return read.Object(u.Object, "spec", "template")
}

// JobTemplateSpec returns the pod spec of a kind that creates Jobs.
func JobTemplateSpec(u *unstructured.Unstructured) map[string]any {
	return read.Object(u.Object, "spec", "jobTemplate", "spec", "template", "spec")
}

// containers returns all containers of a pod spec: regular, init and ephemeral ones.
func containers(spec map[string]any) []map[string]any {
	var all []map[string]any
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		all = append(all, read.Objects(spec, list)...)
	}
	return all
}
