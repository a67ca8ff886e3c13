package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Digest identifies the content of u: the xxhash64 of its canonical JSON (sorted keys, no spaces) as 16 hex digits.
// A number has the same digest whether it is held as an integer or a float, so a digest survives a round trip
// through JSON. It is for noticing change, not for defending against somebody who looks for a collision.
func Digest(u *unstructured.Unstructured) string {
	var room [8 << 10]byte // most objects fit, and then nothing is allocated for their text
	return fmt.Sprintf("%016x", xxhash.Sum64(appendJSON(room[:0], u.Object)))
}

// appendJSON writes v in canonical form. v is what apimachinery keeps in Unstructured: maps, slices and scalars of JSON.
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
	if err != nil { // not JSON at all; its Go text still tells one value from another
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

// appendFloat writes a whole number without a fraction, as an integer is written.
func appendFloat(b []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(b, int64(f), 10)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return strconv.AppendQuote(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
