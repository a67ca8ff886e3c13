package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Digest returns the xxhash64 of the canonical JSON of u (sorted keys, no spaces) as 16 hex digits. A number has the
// same digest as integer and as float, so a round trip through JSON does not change the digest. Digest detects changes;
// it does not resist deliberate collisions.
func Digest(u *unstructured.Unstructured) string {
	text := appendJSON(make([]byte, 0, 4<<10), u.Object) // enough for most objects
	return fmt.Sprintf("%016x", xxhash.Sum64(text))
}

// appendJSON appends v in canonical form. v is a value of Unstructured: maps, slices and scalars of JSON.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendString(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return appendFloat(b, v)
	case map[string]any:
		return appendMap(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	}
	text, err := json.Marshal(v)
	if err != nil { // not JSON; the Go syntax still distinguishes values
		return appendString(b, fmt.Sprintf("%#v", v))
	}
	return append(b, text...)
}

func appendMap(b []byte, m map[string]any) []byte {
	var room [16]string
	keys := slices.AppendSeq(room[:0], maps.Keys(m))
	slices.Sort(keys)
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, key), ':')
		b = appendJSON(b, m[key])
	}
	return append(b, '}')
}

// appendFloat writes a whole number as an integer.
func appendFloat(b []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendString escapes only the characters that JSON requires.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}
