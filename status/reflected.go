package status

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"github.com/go-json-experiment/json/jsontext"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/internal/phrase"
)

// Reflected is the result of kind.Reflect for a live object in little space: one is kept for every object and cluster,
// and most differ in nothing but times. It is immutable, and equal ones are ==. The zero Reflected is empty.
type Reflected struct {
	// shape is JSON with a mark in the place of every time. Equal shapes share their memory.
	shape unique.Handle[string]
	// times are varints: the first one in seconds since 1970, each other one in seconds since the one before, which is seldom long.
	times string
}

// mark and the number of a time replace the time. No text has it, because control characters are escaped.
const mark = "\x00"

// Reflect packs the result of kind.Reflect, a JSON value. Nil, and a value that is no JSON, is the zero Reflected.
func Reflect(picked map[string]any) Reflected {
	if picked == nil {
		return Reflected{}
	}
	var times []int64
	shape, err := appendShape(make([]byte, 0, 1<<10), picked, &times)
	if err != nil {
		return Reflected{}
	}
	var packed []byte
	before := int64(0)
	for _, seconds := range times {
		packed = binary.AppendVarint(packed, seconds-before)
		before = seconds
	}
	return Reflected{unique.Make(string(shape)), string(packed)}
}

// appendShape appends v as JSON, with sorted names and with marks, and appends the times in it in the order of the marks.
func appendShape(b []byte, v any, times *[]int64) (_ []byte, err error) {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, name), ':')
			if b, err = appendShape(b, v[name], times); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendShape(b, item, times); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case string:
		v = phrase.Escape(v, "\n\t") // a member wrote it, and commands and pages show it
		if seconds, ok := secondsOf(v); ok {
			*times = append(*times, seconds)
			v = mark + strconv.Itoa(len(*times)-1)
		}
		return appendText(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	}
	text, err := json.Marshal(v)
	return append(b, text...), err
}

// appendText appends a text as JSON. Bytes that are not UTF-8 are replaced.
func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // the error is about those bytes
	return b
}

// secondsOf parses a time in the one form that is written back the same.
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

// Map returns the result of kind.Reflect; the caller may change it. The zero Reflected returns nil.
func (r Reflected) Map() map[string]any { return shapes{}.fill(r) }

// shapes caches decoded shapes: the statuses of a thousand clusters have few different ones.
type shapes map[unique.Handle[string]]map[string]any

// fill returns the map of one Reflected.
func (s shapes) fill(r Reflected) map[string]any {
	if r == (Reflected{}) {
		return nil
	}
	shape, known := s[r.shape]
	if !known {
		_ = utiljson.Unmarshal([]byte(r.shape.Value()), &shape) // which json.Marshal wrote
		s[r.shape] = shape
	}
	var times []int64
	before := int64(0)
	for packed := []byte(r.times); len(packed) > 0; {
		since, n := binary.Varint(packed)
		before += since
		times, packed = append(times, before), packed[n:]
	}
	picked, _ := filled(shape, times).(map[string]any) // as shape is one
	return picked
}

// filled returns a copy of v with times in the place of the marks.
func filled(v any, times []int64) any {
	switch v := v.(type) {
	case map[string]any:
		next := make(map[string]any, len(v))
		for key := range v {
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
		rest, special := strings.CutPrefix(v, mark)
		if !special {
			return v
		}
		i, _ := strconv.Atoi(rest) // which marked wrote
		return time.Unix(times[i], 0).UTC().Format(time.RFC3339)
	}
	return v
}
