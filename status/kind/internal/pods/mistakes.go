package pods

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Mistakes returns the values in an object that its kind cannot read; nil if there are none.
type Mistakes = func(*unstructured.Unstructured) []manifest.Mistake

// Unreadable returns the Mistakes of a kind with these counts in spec and the pod spec at a path.
func Unreadable(template []string, counts ...string) Mistakes {
	return func(u *unstructured.Unstructured) []manifest.Mistake {
		var found []manifest.Mistake
		for _, field := range counts {
			if m := manifest.CountMistake(read.At(u.Object, "spec", field), "spec", field); m != nil {
				found = append(found, *m)
			}
		}
		return append(found, Requests(u, template...)...)
	}
}

// The paths of pod specs, for Unreadable. They are only read.
var (
	InPod      = []string{"spec"}
	InTemplate = []string{"spec", "template", "spec"}
)

// Requests returns the requests and limits below a pod spec that are no quantity or negative.
func Requests(u *unstructured.Unstructured, path ...string) []manifest.Mistake {
	var found []manifest.Mistake
	spec := read.Object(u.Object, path...)
	// Each object of a repository is looked at, and hardly any has a mistake: only those cost a path.
	list := func(in map[string]any, at func() []string, name string) {
		amounts, _ := in[name].(map[string]any)
		var wrong []string
		for key, amount := range amounts {
			if !read.IsQuantity(amount) {
				wrong = append(wrong, key)
			}
		}
		slices.Sort(wrong)
		for _, key := range wrong {
			m := manifest.Mistake{Path: append(at(), name, key)}
			m.Message = manifest.WrongValue(m.Field(), "a quantity of 0 or more, such as 500m or 2Gi", amounts[key])
			found = append(found, m)
		}
	}
	below := func(in map[string]any, at func() []string) {
		resources, _ := in["resources"].(map[string]any)
		list(resources, at, "limits")
		list(resources, at, "requests")
	}
	list(spec, func() []string { return slices.Clone(path) }, "overhead")
	below(spec, func() []string { return slices.Concat(path, []string{"resources"}) })
	for _, field := range [...]string{"containers", "initContainers"} {
		containers, _ := spec[field].([]any)
		for i, c := range containers {
			container, _ := c.(map[string]any)
			below(container, func() []string { return slices.Concat(path, []string{field, fmt.Sprintf("[%d]", i), "resources"}) })
		}
	}
	return found
}
