package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Hints maps names that are commonly mistaken for fields to the correct field name, or to the end of the sentence
// about the unknown field. A hint takes precedence over the nearest name, which would mislead.
type Hints map[string]string

// Decode is like the function Decode, with these hints.
func (h Hints) Decode(u *unstructured.Unstructured, text []byte, origin Origin, into any) *Doc {
	d := &Doc{Origin: origin, Lines: LinesOf(text, origin.Line), reported: map[string]bool{}, hints: h}
	d.read(u, into)
	return d
}

// unknown returns the end of the sentence about a field that the struct t does not have: a hint, the same name in
// another place, the nearest name, or the list of all fields.
func (d *Doc) unknown(key string, t reflect.Type) string {
	name, believed := d.hints[key]
	if strings.Contains(name, " ") {
		return "; " + name
	}
	name = cmp.Or(name, key)
	known := fields(t)
	if _, ok := known[name]; ok {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	names := slices.Sorted(maps.Keys(known))
	if hint := DidYouMean(name, names); hint != "" && !believed && distance(name, Nearest(name, names)) <= 1 {
		return hint
	}
	if path := cmp.Or(find(name, t), find(name, d.root)); path == name {
		return "; it belongs at the top of the manifest"
	} else if path != "" {
		return fmt.Sprintf("; did you mean %q?", path)
	}
	return cmp.Or(DidYouMean(key, names), "; expected "+either(names))
}

// place is a field and its type during the search for a field below it.
type place struct {
	path string
	in   reflect.Type
}

// find returns the shortest path below t to a field with this name: most misplaced fields are one level too high.
func find(name string, t reflect.Type) string {
	seen := map[reflect.Type]bool{}
	for queue := []place{{"", t}}; len(queue) > 0; queue = queue[1:] {
		p := queue[0].entry()
		if !p.open() || seen[p.in] {
			continue
		}
		seen[p.in] = true
		known := fields(p.in)
		if _, ok := known[name]; ok {
			return child(p.path, name)
		}
		queue = append(queue, p.below(known)...)
	}
	return ""
}

// below returns the fields of p, lists last: a field of an entry could belong to any entry.
func (p place) below(known map[string]reflect.Type) []place {
	var places, lists []place
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if next := (place{child(p.path, key), known[key]}); next.in.Kind() == reflect.Slice {
			lists = append(lists, next)
		} else {
			places = append(places, next)
		}
	}
	return append(places, lists...)
}

// entry returns p, or the element type if p is a list.
func (p place) entry() place {
	for p.in.Kind() == reflect.Pointer || p.in.Kind() == reflect.Slice {
		if p.in.Kind() == reflect.Slice {
			p.path += "[]"
		}
		p.in = p.in.Elem()
	}
	return p
}

// open reports whether the fields of p are worth suggesting: every object has metadata, and nobody writes status.
func (p place) open() bool {
	return p.in.Kind() == reflect.Struct && p.path != "status" && p.in != reflect.TypeFor[metav1.ObjectMeta]() &&
		!reflect.PointerTo(p.in).Implements(reflect.TypeFor[json.Unmarshaler]())
}
