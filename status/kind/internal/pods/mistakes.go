package pods

import (
	"fmt"
	"maps"
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
	list := func(in map[string]any, at []string, names ...string) {
		for _, name := range names {
			amounts := read.Object(in, name)
			for _, key := range slices.Sorted(maps.Keys(amounts)) {
				if !read.IsQuantity(amounts[key]) {
					m := manifest.Mistake{Path: slices.Concat(at, []string{name, key})}
					m.Message = manifest.WrongValue(m.Field(), "a quantity of 0 or more, such as 500m or 2Gi", amounts[key])
					found = append(found, m)
				}
			}
		}
	}
	list(spec, path, "overhead")
	list(read.Object(spec, "resources"), slices.Concat(path, []string{"resources"}), "limits", "requests")
	for _, field := range []string{"containers", "initContainers"} {
		containers, _ := spec[field].([]any)
		for i, c := range containers {
			container, _ := c.(map[string]any)
			list(read.Object(container, "resources"), slices.Concat(path, []string{field, fmt.Sprintf("[%d]", i), "resources"}), "limits", "requests")
		}
	}
	return found
}
