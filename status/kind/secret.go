package kind

import (
	"encoding/base64"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

var secret = Kind{
	Health:    health.Present(there),
	Immutable: secretImmutable,
}

// secretImmutable checks its type, and all of its data if it is immutable.
func secretImmutable(before, after *unstructured.Unstructured) []string {
	changed := read.Fixed{"type": "Opaque"}.Changed(before, after)
	if !read.Bool(before.Object, "immutable") {
		return changed
	}
	changed = append(changed, read.Fixed{"immutable": nil}.Changed(before, after)...)
	if !read.Equal(secretData(before), secretData(after)) {
		changed = append(changed, "data")
	}
	slices.Sort(changed)
	return changed
}

// secretData returns data as the API server stores it: stringData is written into it.
func secretData(u *unstructured.Unstructured) map[string]any {
	all := map[string]any{}
	for key, v := range read.Object(u.Object, "data") {
		all[key] = v
	}
	for key, v := range read.Object(u.Object, "stringData") {
		if s, ok := v.(string); ok {
			all[key] = base64.StdEncoding.EncodeToString([]byte(s))
		}
	}
	return all
}
