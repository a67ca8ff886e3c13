package render

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

const (
	// mostShared bounds the values that a sharing knows: many objects have few values in common.
	mostShared = 1 << 15
	// longestShared is the longest text that is compared with others, in bytes.
	longestShared = 256
)

// sharing keeps equal parts of the objects of one build in memory once: containers, probes, resources, labels and names are the
// same in many objects. Nobody changes the Manifest of an Object, so that objects may have parts in common.
//
// Each value has a number. A map or list is identified by the numbers of its values.
type sharing struct {
	recent, before map[string]sharedValue // before has the values before the last mostShared ones
	last           uint32
	key            []byte
}

type sharedValue struct {
	number uint32
	value  any
}

// share replaces the parts of an object by equal parts of earlier objects. The object itself stays another one.
func (s *sharing) share(object map[string]any) { s.fields(object) }

// of returns the number of a value, and the first value that was equal.
func (s *sharing) of(value any) sharedValue {
	switch v := value.(type) {
	case map[string]any:
		return s.numbered('m', s.fields(v), v)
	case []any:
		content := make([]uint32, 0, len(v))
		for i, item := range v {
			item := s.of(item)
			content, v[i] = append(content, item.number), item.value
		}
		return s.numbered('l', content, v)
	case string:
		if len(v) > longestShared {
			break
		}
		return s.known(append(append(s.key[:0], 's'), v...), v)
	case int64:
		return s.known(binary.LittleEndian.AppendUint64(append(s.key[:0], 'i'), uint64(v)), v)
	case float64:
		return s.known(binary.LittleEndian.AppendUint64(append(s.key[:0], 'f'), math.Float64bits(v)), v)
	case bool:
		if v {
			return s.known(append(s.key[:0], 't'), v)
		}
		return s.known(append(s.key[:0], 'n'), v)
	case nil:
		return s.known(append(s.key[:0], '0'), v)
	}
	s.last++ // it equals nothing
	return sharedValue{s.last, value}
}

// fields replaces the fields of an object, and returns the numbers of the names and values.
func (s *sharing) fields(object map[string]any) []uint32 {
	content := make([]uint32, 0, 2*len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := s.of(object[name])
		key := s.of(name)
		delete(object, name) // with its own text of the name
		name = key.value.(string)
		content = append(content, key.number, value.number)
		object[name] = value.value
	}
	return content
}

// numbered returns a map or list with the given content.
func (s *sharing) numbered(kind byte, content []uint32, value any) sharedValue {
	key := append(s.key[:0], kind)
	for _, number := range content {
		key = binary.LittleEndian.AppendUint32(key, number)
	}
	return s.known(key, value)
}

// known returns the value with a key, which is the given one if there is none yet.
func (s *sharing) known(key []byte, value any) sharedValue {
	s.key = key
	if found, ok := s.recent[string(key)]; ok {
		return found
	}
	found, ok := s.before[string(key)]
	if !ok {
		s.last++
		found = sharedValue{s.last, value}
	}
	if len(s.recent) >= mostShared || s.recent == nil {
		s.recent, s.before = make(map[string]sharedValue, min(mostShared, 2*len(s.recent))), s.recent
	}
	s.recent[string(key)] = found
	return found
}
