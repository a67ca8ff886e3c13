package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/compact"
)

// digestPrefix names the algorithm, so that a digest of another algorithm never equals one of SHA-256.
const digestPrefix = "sha256:"

// digestBytes is the length of a digest: 128 bits of a Sum resist a collision that somebody makes on purpose.
const digestBytes = 16

// Sum is the SHA-256 of the canonical JSON of an object.
type Sum [sha256.Size]byte

// SumOf returns the Sum of u: sorted keys, no spaces. A number has the same Sum as integer and as float, so a round trip
// through JSON does not change the Sum.
func SumOf(u *unstructured.Unstructured) Sum {
	var sum Sum
	withJSON(u, func(text []byte) { sum = sha256.Sum256(text) })
	return sum
}

// pack returns a manifest, in compact form unless keep is nil, and its digest.
func pack(u *unstructured.Unstructured, keep *compact.Texts) (packed *manifest.Packed, digest string) {
	if keep == nil {
		return manifest.Whole(u), Digest(u)
	}
	withJSON(u, func(text []byte) {
		packed, digest = manifest.Pack(u, text, keep), Sum(sha256.Sum256(text)).Digest()
	})
	return packed, digest
}

// withJSON calls do with the canonical JSON of u, which do must not keep.
func withJSON(u *unstructured.Unstructured, do func(text []byte)) {
	text := texts.Get().(*[]byte)
	*text = appendJSON((*text)[:0], u.Object)
	do(*text)
	if cap(*text) <= maxText {
		texts.Put(text)
	}
}

// texts are buffers of at most maxText bytes, more than most objects have.
var texts = sync.Pool{New: func() any { return new([]byte) }}

const maxText = 64 << 10

// Digest returns the digest of the Sum of u.
func Digest(u *unstructured.Unstructured) string { return SumOf(u).Digest() }

// Digest returns "sha256:" and the first 32 hexadecimal digits of s.
func (s Sum) Digest() string {
	b := make([]byte, 0, len(digestPrefix)+2*digestBytes)
	return string(hex.AppendEncode(append(b, digestPrefix...), s[:digestBytes]))
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
