package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var configMap = Kind{
	Health:    present(there),
	Immutable: configMapImmutable,
}

// there is the health of objects that nobody acts on: they are fine as soon as they are there.
func there(_, _ map[string]any) (Health, string) { return Healthy, "" }

// configMapImmutable: nothing can be changed any more once it says so itself, and that it says so cannot either.
func configMapImmutable(before, after *unstructured.Unstructured) []string {
	if !truth(before.Object, "immutable") {
		return nil
	}
	return fixed{"binaryData": nil, "data": nil, "immutable": nil}.changed(before, after)
}
