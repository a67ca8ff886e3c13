package status

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unique"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Reflected is what kind.Reflect picked of a live object, in little space: one is kept for every object and cluster, and most
// of them differ in nothing but times. It does not change, and those that are equal are ==. The zero Reflected is that of an
// object of which nothing was picked.
type Reflected struct {
	// shape is JSON with a mark in the place of every time. Equal shapes are in memory once.
	shape unique.Handle[string]
	// times are in seconds since 1970, as varints, in the order of the marks where the keys of objects are sorted.
	times string
}

// mark stands for a time. A text that begins like it has another one in front.
const mark = "\x00"

// Reflect packs what was picked, which is made of what JSON has. Nil, and what cannot be written as JSON, is the zero Reflected.
func Reflect(picked map[string]any) Reflected {
	if picked == nil {
		return Reflected{}
	}
	var times []byte
	shape, err := json.Marshal(marked(picked, &times))
	if err != nil {
		return Reflected{}
	}
	return Reflected{unique.Make(string(shape)), string(times)}
}

// marked is a copy of v with marks, and adds the times in it to the others.
func marked(v any, times *[]byte) any {
	switch v := v.(type) {
	case map[string]any:
		next := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			next[key] = marked(v[key], times)
		}
		return next
	case []any:
		next := make([]any, len(v))
		for i := range v {
			next[i] = marked(v[i], times)
		}
		return next
	case string:
		if seconds, ok := secondsOf(v); ok {
			*times = binary.AppendVarint(*times, seconds)
			return mark
		}
		if strings.HasPrefix(v, mark) {
			return mark + v
		}
	}
	return v
}

// secondsOf a time in the one form that is written back the same.
func secondsOf(text string) (int64, bool) {
	if len(text) != len("2006-01-02T15:04:05Z") || text[len(text)-1] != 'Z' {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.UTC().Format(time.RFC3339) != text {
		return 0, false
	}
	return t.Unix(), true
}

// Map is what was picked; the caller may change it. Nil of the zero Reflected.
func (r Reflected) Map() map[string]any { return shapes{}.fill(r) }

// shapes are those that were read already: to add up the statuses of a thousand clusters, few have to be read.
type shapes map[unique.Handle[string]]map[string]any

// fill is the map of one Reflected.
func (s shapes) fill(r Reflected) map[string]any {
	if r == (Reflected{}) {
		return nil
	}
	shape, known := s[r.shape]
	if !known {
		_ = utiljson.Unmarshal([]byte(r.shape.Value()), &shape) // which json.Marshal wrote
		s[r.shape] = shape
	}
	times := []byte(r.times)
	filled, _ := filled(shape, &times).(map[string]any) // as it is one
	return filled
}

// filled is a copy of v with times in the place of the marks.
func filled(v any, times *[]byte) any {
	switch v := v.(type) {
	case map[string]any:
		next := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			next[key] = filled(v[key], times)
		}
		return next
	case []any:
		next := make([]any, len(v))
		for i := range v {
			next[i] = filled(v[i], times)
		}
		return next
	case string:
		if v == mark {
			seconds, n := binary.Varint(*times)
			*times = (*times)[n:]
			return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
		}
		return strings.TrimPrefix(v, mark)
	}
	return v
}
