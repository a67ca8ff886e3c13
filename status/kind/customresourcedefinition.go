package kind

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

var customResourceDefinition = Kind{
	Health:    health.Present(definitionHealth),
	Immutable: definitionImmutable,
}

// definitionImmutable checks the names under which objects are stored, and the storage versions, which cannot be
// removed while objects may be stored in them.
func definitionImmutable(before, after *unstructured.Unstructured) []string {
	changed := read.Fixed{"spec.group": nil, "spec.names.kind": nil, "spec.names.plural": nil, "spec.scope": nil}.Changed(before, after)
	for _, v := range read.Objects(before.Object, "spec", "versions") {
		kept := func(w map[string]any) bool { return w["name"] == v["name"] }
		if read.Bool(v, "storage") && !slices.ContainsFunc(read.Objects(after.Object, "spec", "versions"), kept) {
			changed = append(changed, "spec.versions")
		}
	}
	return changed
}

// definitionHealth: objects of the kind can be written once it is Established.
func definitionHealth(_, status map[string]any) (Health, string) {
	if c := read.Condition(status, "NamesAccepted"); read.Text(c, "status") == "False" {
		return Failed, "its names are taken: " + read.Why(c)
	}
	if !read.IsTrue(status, "Established") {
		return Progressing, "not served yet"
	}
	return Healthy, "served"
}
