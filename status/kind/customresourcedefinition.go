package kind

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var customResourceDefinition = Kind{
	Health:    present(definitionHealth),
	Immutable: definitionImmutable,
}

// definitionImmutable: what objects of the kind are stored under, and the version that they are stored in, which cannot go
// as long as one may be.
func definitionImmutable(before, after *unstructured.Unstructured) []string {
	changed := fixed{"spec.group": nil, "spec.names.kind": nil, "spec.names.plural": nil, "spec.scope": nil}.changed(before, after)
	for _, v := range maps(before.Object, "spec", "versions") {
		kept := func(w map[string]any) bool { return w["name"] == v["name"] }
		if truth(v, "storage") && !slices.ContainsFunc(maps(after.Object, "spec", "versions"), kept) {
			changed = append(changed, "spec.versions")
		}
	}
	return changed
}

// definitionHealth: objects of the kind can be written once it is Established.
func definitionHealth(_, status map[string]any) (Health, string) {
	if c := condition(status, "NamesAccepted"); text(c, "status") == "False" {
		return Failed, "its names are taken: " + why(c)
	}
	if !holds(status, "Established") {
		return Progressing, "not served yet"
	}
	return Healthy, "served"
}
