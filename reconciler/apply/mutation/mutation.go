// Package mutation compares the fields of an applied object with the live ones: a mutating admission policy changes a value
// while accord still owns the field.
package mutation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accord-dev/accord/api/manifest"
)

// Field is one field whose live value differs from the applied one.
type Field struct {
	Path string // "spec.template.spec.containers[web].image"
	// Want is the applied value and Got the live one; of a Secret both are empty.
	Want, Got string
}

// String returns `spec.replicas: 2 became 1`.
func (f Field) String() string {
	if f.Want == "" && f.Got == "" {
		return f.Path
	}
	return fmt.Sprintf("%s: %s became %s", f.Path, f.Want, f.Got)
}

// Compare returns the scalar fields of applied that live has with another value, in the order of their paths. A field that
// live lacks, and a list of another length without names, does not count: the API server drops empty values, and merges
// lists. Values that the API server writes in another form (quantities, durations, times) are equal.
func Compare(id manifest.ID, applied, live map[string]any) []Field {
	var found []Field
	compareMaps("", applied, live, &found)
	if id.IsSecret() {
		for i := range found {
			found[i].Want, found[i].Got = "", ""
		}
	}
	return found
}

// serverFields are fields of the metadata that the API server sets.
var serverFields = []string{"metadata.uid", "metadata.resourceVersion", "metadata.generation", "metadata.managedFields", "metadata.creationTimestamp"}

func compareMaps(at string, applied, live map[string]any, found *[]Field) {
	for _, key := range slices.Sorted(maps.Keys(applied)) {
		path := key
		if at != "" {
			path = at + "." + key
		}
		if got, there := live[key]; there && path != "status" && !slices.Contains(serverFields, path) {
			compare(path, applied[key], got, found)
		}
	}
}

func compare(path string, applied, live any, found *[]Field) {
	switch want := applied.(type) {
	case nil:
	case map[string]any:
		if got, ok := live.(map[string]any); ok {
			compareMaps(path, want, got, found)
		}
	case []any:
		if got, ok := live.([]any); ok {
			compareLists(path, want, got, found)
		}
	default:
		if !same(applied, live) {
			*found = append(*found, Field{path, fmt.Sprint(applied), fmt.Sprint(live)})
		}
	}
}

// compareLists compares the items of the same name, or of the same index in lists of the same length.
func compareLists(path string, applied, live []any, found *[]Field) {
	for i, item := range applied {
		name, named := nameOf(item)
		switch {
		case named:
			at := slices.IndexFunc(live, func(other any) bool { n, ok := nameOf(other); return ok && n == name })
			if at >= 0 {
				compare(path+"["+name+"]", item, live[at], found)
			}
		case len(applied) == len(live):
			compare(path+"["+strconv.Itoa(i)+"]", item, live[i], found)
		}
	}
}

func nameOf(item any) (string, bool) {
	m, _ := item.(map[string]any)
	name, ok := m["name"].(string)
	return name, ok
}

// same reports whether two scalars are the same value, in whatever form.
func same(a, b any) bool {
	x, y := fmt.Sprint(a), fmt.Sprint(b)
	if x == y {
		return true
	}
	if p, err := resource.ParseQuantity(x); err == nil {
		q, err := resource.ParseQuantity(y)
		return err == nil && p.Cmp(q) == 0
	}
	if p, err := time.ParseDuration(x); err == nil {
		q, err := time.ParseDuration(y)
		return err == nil && p == q
	}
	if p, err := time.Parse(time.RFC3339Nano, x); err == nil {
		q, err := time.Parse(time.RFC3339Nano, y)
		return err == nil && p.Equal(q)
	}
	return false
}
