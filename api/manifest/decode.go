package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Decode decodes u strictly into the struct that into points to. text is the YAML document of u; without it all
// mistakes have the line of the manifest. Unknown fields and values of a wrong type are mistakes of the Doc. The
// valid fields are decoded nevertheless, so that validation can continue and report all mistakes at once. As in
// kubectl apply, null is the same as absent, and status is ignored.
func Decode(u *unstructured.Unstructured, text []byte, origin Origin, into any) *Doc {
	return Hints(nil).Decode(u, text, origin, into)
}

func (d *Doc) read(u *unstructured.Unstructured, into any) {
	d.content, d.root = maps.Clone(u.Object), reflect.TypeOf(into).Elem()
	delete(d.content, "status")
	d.check("", d.content, d.root)
	if d.endless { // decoding it could take as long as arithmetic with it
		d.unread = true
		return
	}
	encoded, err := json.Marshal(d.content)
	if err != nil {
		d.Errorf("", "cannot be read: %v", err)
		return
	}
	err = json.Unmarshal(encoded, into)
	if err == nil {
		return
	}
	field, known := fieldOf(err)
	if len(d.mistakes) == 0 {
		d.Errorf(field, "cannot be read: %v", err)
	}
	d.unread = !known // decoding ended there
}

// fieldOf returns the field that a JSON error names, if it names one.
func fieldOf(err error) (field string, known bool) {
	wrong, known := errors.AsType[*json.UnmarshalTypeError](err)
	if !known {
		return "", false
	}
	return wrong.Field, true
}

// decode records a mistake if the decoder of a type does not read a value.
func (d *Doc) decode(path string, value any, t reflect.Type) {
	encoded, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(encoded, reflect.New(t).Interface())
	}
	if err != nil {
		d.Errorf(path, "%s cannot be read: %v", path, err)
	}
}

// check compares a value with the Go type that it is decoded into.
func (d *Doc) check(path string, value any, t reflect.Type) {
	if d.full() {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[resource.Quantity]() {
		d.endless = !d.Finite(path, value) || d.endless
		return
	}
	if value == nil { // absent
		return
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		d.decode(path, value, t)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		d.checkStruct(path, value, t)
	case reflect.Slice:
		items, ok := value.([]any)
		if !ok {
			d.wrong(path, "a list"+inOneString(value), value)
		}
		for i, item := range items {
			d.check(fmt.Sprintf("%s[%d]", path, i), item, t.Elem())
		}
	case reflect.Map:
		entries, ok := value.(map[string]any)
		if !ok {
			d.wrong(path, "an object", value)
		}
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			d.check(child(path, key), entries[key], t.Elem())
		}
	default:
		d.checkScalar(path, value, t)
	}
}

func (d *Doc) checkStruct(path string, value any, t reflect.Type) {
	object, ok := value.(map[string]any)
	if !ok {
		d.wrong(path, "an object", value)
		return
	}
	known := fields(t)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if d.full() {
			return
		}
		if field, ok := known[key]; ok {
			d.check(child(path, key), object[key], field)
			continue
		}
		in := ""
		if path != "" {
			in = " in " + path
		}
		d.Errorf(child(path, key), "unknown field %q%s%s", short(key), in, d.unknown(key, t))
	}
}

func (d *Doc) checkScalar(path string, value any, t reflect.Type) {
	switch t.Kind() {
	case reflect.String:
		if _, ok := value.(string); !ok {
			d.wrong(path, "a string", value)
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			d.wrong(path, "true or false", value)
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32:
		n, ok := whole(value)
		if !ok {
			d.wrong(path, "a whole number", value)
		} else if outside(n, t) {
			d.Errorf(path, "%s is %d, which is out of range", path, n)
		}
	}
}

func whole(value any) (int64, bool) {
	switch n := value.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	return 0, false
}

func outside(n int64, t reflect.Type) bool {
	if t.Kind() == reflect.Uint32 {
		return n < 0 || n > math.MaxUint32
	}
	return reflect.Zero(t).OverflowInt(n)
}

// fields returns the JSON names of a struct's fields with their types.
func fields(t reflect.Type) map[string]reflect.Type {
	known := map[string]reflect.Type{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name != "":
			known[name] = field.Type
		case field.Anonymous:
			maps.Copy(known, fields(field.Type))
		}
	}
	return known
}
