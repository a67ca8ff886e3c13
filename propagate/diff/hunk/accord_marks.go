package hunk

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// withoutMarks returns the content of u without the marks that accord puts on every object of a member. The rest is
// shared with u.
func withoutMarks(u *unstructured.Unstructured) map[string]any {
	metadata, ok := u.Object["metadata"].(map[string]any)
	if !ok {
		return u.Object
	}
	metadata = without(metadata, "annotations", v1alpha1.DigestAnnotation)
	metadata = without(metadata, "labels", v1alpha1.PartOfLabel)
	content := maps.Clone(u.Object)
	content["metadata"] = metadata
	return content
}

// without returns metadata without one entry of the map in field. It also drops a map that becomes empty.
func without(metadata map[string]any, field, key string) map[string]any {
	entries, ok := metadata[field].(map[string]any)
	if !ok {
		return metadata
	}
	if _, ok := entries[key]; !ok {
		return metadata
	}
	metadata, entries = maps.Clone(metadata), maps.Clone(entries)
	delete(entries, key)
	metadata[field] = entries
	if len(entries) == 0 {
		delete(metadata, field)
	}
	return metadata
}
