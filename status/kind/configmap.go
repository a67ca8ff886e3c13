package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

var configMap = Kind{
	Health:    health.Present(there),
	Immutable: configMapImmutable,
}

// there is the health of objects that no controller acts on: healthy as soon as they exist.
func there(_, _ map[string]any) (Health, string) { return Healthy, "" }

// configMapImmutable: once immutable is true, neither the data nor immutable itself can change.
func configMapImmutable(before, after *unstructured.Unstructured) []string {
	if !read.Bool(before.Object, "immutable") {
		return nil
	}
	return read.Fixed{"binaryData": nil, "data": nil, "immutable": nil}.Changed(before, after)
}
