package builtin

import (
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// shape is a Go type as the JSON decoder sees it.
type shape struct {
	form     form
	nullable bool              // the field is a pointer: null never reaches a decoder of the type's own
	fields   map[string]*shape // of a structure
	element  *shape            // of a list or a map
	goType   reflect.Type
}

type form int

const (
	anything form = iota
	structure
	list
	mapping
	text
	boolean
	number
	integer
	bytes
	selfDecoding // the type has an UnmarshalJSON
)

// shapes are the shapes of types; a type may contain itself.
type shapes map[reflect.Type]*shape

func (all shapes) of(t reflect.Type) *shape {
	if s := all[t]; s != nil {
		return s
	}
	s := &shape{goType: t}
	all[t] = s
	if t.Kind() == reflect.Pointer {
		all.fill(s, t.Elem())
		s.nullable, s.goType = true, t.Elem()
		return s
	}
	all.fill(s, t)
	return s
}

func (all shapes) fill(s *shape, t reflect.Type) {
	switch {
	case t == reflect.TypeFor[runtime.RawExtension]():
		return
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		s.form = selfDecoding
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		s.form, s.fields = structure, map[string]*shape{}
		all.addFields(s, t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			s.form = bytes
			return
		}
		s.form, s.element = list, all.of(t.Elem())
	case reflect.Map:
		s.form, s.element = mapping, all.of(t.Elem())
	case reflect.String:
		s.form = text
	case reflect.Bool:
		s.form = boolean
	case reflect.Float32, reflect.Float64:
		s.form = number
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.form = integer
	}
}

// addFields adds the fields of a struct and of the structs that it embeds; its own fields hide theirs.
func (all shapes) addFields(s *shape, t reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case name != "":
			s.fields[name] = all.of(f.Type)
		case !f.Anonymous:
			s.fields[f.Name] = all.of(f.Type)
		}
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" || !f.Anonymous {
			continue
		}
		embedded := f.Type
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		inner := &shape{fields: map[string]*shape{}}
		all.addFields(inner, embedded)
		for name, field := range inner.fields {
			if _, hidden := s.fields[name]; !hidden {
				s.fields[name] = field
			}
		}
	}
}
