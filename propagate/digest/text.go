package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strconv"

	"github.com/accord-dev/accord/api/manifest"
)

// AppendTexts appends texts with their lengths.
func AppendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// WriteLine writes values unambiguously: strings are quoted, and nil differs from zero.
func WriteLine(b *bytes.Buffer, values ...any) {
	text := b.AvailableBuffer()
	for _, v := range values {
		switch v := v.(type) {
		case string:
			text = appendQuoted(text, v)
		case bool:
			text = strconv.AppendBool(text, v)
		case *int32:
			if v != nil {
				text = strconv.AppendInt(text, int64(*v), 10)
			}
		case manifest.ID:
			for _, part := range []string{v.Group, v.Kind, v.Namespace, v.Name} {
				text = appendQuoted(text, part)
			}
		}
		text = append(text, ',')
	}
	b.Write(append(text, '\n'))
}

// appendQuoted is strconv.AppendQuote, which is slow for the usual text: printable ASCII that needs no escape.
func appendQuoted(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return strconv.AppendQuote(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// form is the form of a digest.
var form = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Valid reports whether a text has the form of a digest.
func Valid(text string) bool { return form.MatchString(text) }

// Of returns the digest of a text: "sha256:<hex>".
func Of(b []byte) string {
	s := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(s[:])
}
