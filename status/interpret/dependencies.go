package interpret

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/interpret/sandbox"
	"github.com/accord-dev/accord/status/kind"
)

// dependencies calls GetDependencies(obj): a list of {apiVersion, kind, namespace, name or labelSelector}.
func (s *script) dependencies(u *unstructured.Unstructured) ([]kind.Reference, error) {
	return entries(s, u, "dependency", reference)
}

func reference(entry map[string]any) (kind.Reference, error) {
	text := func(field string) string { s, _ := entry[field].(string); return s }
	gv, err := schema.ParseGroupVersion(text("apiVersion"))
	if err != nil || gv.Version == "" {
		return kind.Reference{}, fmt.Errorf("has no valid apiVersion: %q", sandbox.Shorten(text("apiVersion")))
	}
	ref := kind.Reference{ID: manifest.ID{Group: gv.Group, Kind: text("kind"), Namespace: text("namespace"), Name: text("name")}}
	if ref.Kind == "" {
		return kind.Reference{}, errors.New("has no kind")
	}
	if ref.Name != "" {
		return ref, nil
	}
	ref.Labels, err = labels(entry["labelSelector"])
	return ref, err
}

// labels returns matchLabels of a selector, the only part that a Reference supports.
func labels(selector any) (map[string]string, error) {
	object, _ := selector.(map[string]any)
	if _, ok := object["matchExpressions"].([]any); ok {
		return nil, errors.New("has a labelSelector with matchExpressions; only matchLabels are understood")
	}
	match, _ := object["matchLabels"].(map[string]any)
	if len(match) == 0 {
		return nil, errors.New("has neither a name nor a labelSelector with matchLabels")
	}
	out := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(match)) {
		s, ok := match[k].(string)
		if !ok {
			return nil, fmt.Errorf("has a labelSelector whose %q is no string", sandbox.Shorten(k))
		}
		out[k] = s
	}
	return out, nil
}

// union returns all references, sorted, each once.
func union(refs []kind.Reference) []kind.Reference {
	slices.SortFunc(refs, compareReferences)
	return slices.CompactFunc(refs, func(a, b kind.Reference) bool { return compareReferences(a, b) == 0 })
}

// compareReferences orders by name, and selectors by their labels.
func compareReferences(a, b kind.Reference) int {
	if c := a.Compare(b.ID); c != 0 {
		return c
	}
	return slices.Compare(pairsOf(a.Labels), pairsOf(b.Labels))
}

func pairsOf(labels map[string]string) []string {
	out := make([]string, 0, len(labels))
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, k+"="+labels[k])
	}
	return out
}
