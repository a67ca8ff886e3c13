package unrender

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// Defaulter is the defaults that the API server adds to the objects of one kind.
type Defaulter struct {
	// Names are the names of the fields that can have a default, at any depth: "name", or
	// "around/name" for a field of such a field, or "around/" for all of them.
	Names map[string]bool
	// Fill returns an object with the defaults. It does not change its argument.
	Fill func(object map[string]any) (map[string]any, error)
}

// keptDefaults stay in manifests: policies divide replicas, kubectl validates that apiGroup is there, and nobody knows the default of a volume.
var keptDefaults = []string{"replicas", "apiGroup", "emptyDir"}

// WithoutDefaults returns a manifest without the fields that the API server would set to the same value, except those that users wrote.
// It proves each removal: Fill adds exactly the removed values.
func WithoutDefaults(object map[string]any, written Written, d Defaulter) (map[string]any, error) {
	c := candidates{names: d.Names}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			c.field(nil, "", name, object[name], written.Field(name))
		}
	}
	for removed := c.found; ; {
		if len(removed) == 0 {
			return object, nil
		}
		without := runtime.DeepCopyJSON(object)
		for _, r := range removed {
			remove(without, r.path)
		}
		filled, err := d.Fill(without)
		if err != nil {
			return nil, fmt.Errorf("adding the defaults: %w", err)
		}
		kept := slices.DeleteFunc(slices.Clone(removed), func(r candidate) bool { return !reflect.DeepEqual(at(filled, r.path), r.value) })
		if len(kept) == len(removed) {
			return without, nil
		}
		// Another value than the default may be the reason why a field below it has no default: put back those first.
		if differ := slices.DeleteFunc(slices.Clone(removed), func(r candidate) bool {
			v := at(filled, r.path)
			return v != nil && !reflect.DeepEqual(v, r.value)
		}); len(differ) < len(removed) {
			kept = differ
		}
		removed = kept
	}
}

// candidate is a field that may have the value of a default.
type candidate struct {
	path  []any // names of fields and positions in lists
	value any
}

type candidates struct {
	names map[string]bool
	found []candidate
}

// field finds the candidates in a field. above is the name of the field around it.
func (c *candidates) field(path []any, above, name string, v any, w Written) {
	path = append(path[:len(path):len(path)], name)
	possible := (c.names[name] || c.names[above+"/"] || c.names[above+"/"+name]) && !w.Has() && !slices.Contains(keptDefaults, name)
	switch v := v.(type) {
	case map[string]any:
		for _, below := range slices.Sorted(maps.Keys(v)) {
			c.field(path, name, below, v[below], w.Field(below))
		}
		if len(v) > 0 {
			return
		}
	case []any:
		if !possible {
			c.items(path, name, v, w)
			return
		}
	}
	if possible {
		c.found = append(c.found, candidate{path, v})
	}
}

func (c *candidates) items(path []any, name string, list []any, w Written) {
	for i, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return
		}
		inItem, written := append(path[:len(path):len(path)], i), w.Item(i, item)
		for _, below := range slices.Sorted(maps.Keys(object)) {
			c.field(inItem, name, below, object[below], written.Field(below))
		}
	}
}

// at returns the value at a path; nil if there is none.
func at(v any, path []any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// remove removes a field, and the maps around it that become empty. It removes no item of a list.
func remove(object map[string]any, path []any) {
	for n := len(path); n > 0; n-- {
		around, ok := at(object, path[:n-1]).(map[string]any)
		name, field := path[n-1].(string)
		if !ok || !field {
			return
		}
		delete(around, name)
		if len(around) > 0 {
			return
		}
	}
}
