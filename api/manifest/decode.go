package manifest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Doc is one manifest being read: where its fields stand, and the mistakes found in it so far.
type Doc struct {
	Origin Origin
	Lines  Lines

	content  map[string]any
	root     reflect.Type
	hints    Hints
	mistakes []*Error
	reported map[string]bool // by field: the first mistake of a field is the one worth reading
}

// Decode reads u strictly into the struct that into points to. text is the YAML document u was read from; without it
// mistakes have the line of the manifest only. A field that into does not have and a value of another type than into
// expects are mistakes of the Doc; whatever could be read is in into nevertheless, so that validation can go on and
// all mistakes are told at once. Null is the same as absent, and status is not read, as kubectl apply would not.
func Decode(u *unstructured.Unstructured, text []byte, origin Origin, into any) *Doc {
	return Hints(nil).Decode(u, text, origin, into)
}

func (d *Doc) read(u *unstructured.Unstructured, into any) {
	d.content, d.root = maps.Clone(u.Object), reflect.TypeOf(into).Elem()
	delete(d.content, "status")
	d.check("", d.content, d.root)
	encoded, err := json.Marshal(d.content)
	if err != nil {
		d.Errorf("", "cannot be read: %v", err)
		return
	}
	if err := json.Unmarshal(encoded, into); err != nil && len(d.mistakes) == 0 {
		d.Errorf(pathOf(err), "cannot be read: %v", err)
	}
}

// Value is what is written at a field ("spec.rules[1].value"), nil when nothing is or null is.
func (d *Doc) Value(field string) any {
	var value any = d.content
	for segment := range strings.SplitSeq(field, ".") {
		name, index, listed := strings.Cut(strings.TrimSuffix(segment, "]"), "[")
		object, _ := value.(map[string]any)
		value = object[name]
		if !listed {
			continue
		}
		items, _ := value.([]any)
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= len(items) {
			return nil
		}
		value = items[i]
	}
	return value
}

// Errorf notes a mistake in a field, unless one is known there already.
func (d *Doc) Errorf(field, format string, args ...any) {
	if d.reported[field] {
		return
	}
	d.reported[field] = true
	d.mistakes = append(d.mistakes, &Error{Origin: d.Lines.At(d.Origin, field), Message: fmt.Sprintf(format, args...)})
}

// Require notes a mistake when a required field is not there.
func (d *Doc) Require(field string, present bool) {
	if !present {
		d.Errorf(field, "%s is required", field)
	}
}

// OneOf notes a mistake when value is not one of the allowed ones. Empty is allowed here: see Require.
func (d *Doc) OneOf(field, value string, allowed ...string) {
	if value == "" || slices.Contains(allowed, value) {
		return
	}
	d.Errorf(field, "%s is %q, expected %s%s", field, value, either(allowed), DidYouMean(value, allowed))
}

// Err is every mistake, in the order of the file; nil when there is none. Each is an *Error.
func (d *Doc) Err() error {
	slices.SortStableFunc(d.mistakes, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Origin.Line, b.Origin.Line), cmp.Compare(a.Origin.Column, b.Origin.Column))
	})
	errs := make([]error, len(d.mistakes))
	for i, m := range d.mistakes {
		errs[i] = m
	}
	return errors.Join(errs...)
}

// either lists what is allowed: "Abort or Overwrite".
func either(allowed []string) string {
	if len(allowed) < 2 {
		return strings.Join(allowed, "")
	}
	return strings.Join(allowed[:len(allowed)-1], ", ") + " or " + allowed[len(allowed)-1]
}

// pathOf is the field a JSON error is about, as far as it says.
func pathOf(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wrong.Field
	}
	return ""
}

// check compares a value with the Go type it is to be read into.
func (d *Doc) check(path string, value any, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if value == nil || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return // null is absent; a type that reads itself checks itself
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
			d.wrong(path, "a string"+unquoted(value), value)
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

func (d *Doc) wrong(path, expected string, value any) {
	if path == "" {
		path = "the manifest"
	}
	d.Errorf(path, "%s is %s, expected %s", path, describe(value), expected)
}

func describe(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("the string %q", short(v))
	}
	return fmt.Sprint(value)
}

// short is a text that fits into a sentence.
func short(text string) string {
	const most = 80
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "..."
}

// unquoted is the hint for who did not mean the number or the truth value that YAML reads (1.20, yes).
func unquoted(value any) string {
	switch value.(type) {
	case map[string]any, []any:
		return ""
	}
	return "; write it in quotes"
}

// inOneString is the hint for who wrote a list as the text "eu-1, eu-2".
func inOneString(value any) string {
	text, _ := value.(string)
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	list := short(strings.Join(names, ", "))
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; did you mean [%s]?", list)
	}
	return fmt.Sprintf("; %d names in one string? Write [%s]", len(names), list)
}

// fields are the JSON names of a struct with the types they are read into.
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
