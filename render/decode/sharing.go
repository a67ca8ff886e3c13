package decode

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

const (
	// mostShared bounds the values that a sharing knows: many objects have few values in common.
	mostShared = 1 << 15
	// longestShared is the longest text that is compared with others, in bytes.
	longestShared = 256
)

// Sharing keeps equal parts of the objects of one build in memory once: containers, probes, resources, labels and names are the
// same in many objects. Nobody changes the Manifest of an Object, so that objects may have parts in common.
//
// Each value has a number. A map or list is identified by the numbers of its values.
type Sharing struct {
	recent, before map[string]sharedValue // before has the values before the last mostShared ones
	last           uint32
	key            []byte
}

type sharedValue struct {
	number uint32
	value  any
}

// field is a field of an object.
type field struct {
	name  string
	value sharedValue
}

// Share replaces the parts of an object by equal parts of earlier objects. The object itself stays another one.
func (s *Sharing) Share(object map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		delete(object, name) // with its own text of the name
		object[s.text(name)] = s.of(value).value
	}
}

// of returns the number of a value, and the first value that was equal.
func (s *Sharing) of(value any) sharedValue {
	switch v := value.(type) {
	case map[string]any:
		fields := make([]field, 0, len(v))
		for name, value := range v {
			fields = append(fields, field{name, s.of(value)})
		}
		return s.object(fields)
	case []any:
		items := make([]sharedValue, len(v))
		for i, item := range v {
			items[i] = s.of(item)
		}
		return s.list(items)
	}
	return s.scalar(value)
}

// object returns an object with the given fields, whose names differ. It sorts them. A nil sharing shares nothing.
func (s *Sharing) object(fields []field) sharedValue {
	if s == nil {
		return sharedValue{value: objectOf(fields)}
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	names := make([]uint32, 0, 24)
	for i, f := range fields {
		name := s.scalar(f.name)
		fields[i].name = name.value.(string)
		names = append(names, name.number)
	}
	key := append(s.key[:0], 'm')
	for i, f := range fields {
		key = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(key, names[i]), f.value.number)
	}
	return s.known(key, func() any { return objectOf(fields) })
}

func objectOf(fields []field) map[string]any {
	object := make(map[string]any, len(fields))
	for _, f := range fields {
		object[f.name] = f.value.value
	}
	return object
}

// list returns a list with the given items.
func (s *Sharing) list(items []sharedValue) sharedValue {
	create := func() any {
		list := make([]any, len(items))
		for i, item := range items {
			list[i] = item.value
		}
		return list
	}
	if s == nil {
		return sharedValue{value: create()}
	}
	key := append(s.key[:0], 'l')
	for _, item := range items {
		key = binary.LittleEndian.AppendUint32(key, item.number)
	}
	return s.known(key, create)
}

// scalar returns a value that is neither an object nor a list.
func (s *Sharing) scalar(value any) sharedValue {
	if s == nil {
		return sharedValue{value: value}
	}
	var key []byte
	switch v := value.(type) {
	case string:
		if len(v) <= longestShared {
			key = append(append(s.key[:0], 's'), v...)
		}
	case int64:
		key = binary.LittleEndian.AppendUint64(append(s.key[:0], 'i'), uint64(v))
	case float64:
		key = binary.LittleEndian.AppendUint64(append(s.key[:0], 'f'), math.Float64bits(v))
	case bool:
		key = fmt.Append(s.key[:0], v)
	case nil:
		key = append(s.key[:0], '0')
	}
	if key == nil {
		s.last++ // it equals nothing
		return sharedValue{s.last, value}
	}
	return s.known(key, func() any { return value })
}

// text returns a text.
func (s *Sharing) text(text string) string { return s.scalar(text).value.(string) }

// known returns the value with a key, and makes it if there is none yet.
func (s *Sharing) known(key []byte, create func() any) sharedValue {
	s.key = key
	if found, ok := s.recent[string(key)]; ok {
		return found
	}
	found, ok := s.before[string(key)]
	if !ok {
		s.last++
		found = sharedValue{s.last, create()}
	}
	if len(s.recent) >= mostShared || s.recent == nil {
		s.recent, s.before = make(map[string]sharedValue, min(mostShared, 2*len(s.recent))), s.recent
	}
	s.recent[string(key)] = found
	return found
}
