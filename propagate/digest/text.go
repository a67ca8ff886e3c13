package digest

import (
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

// Line is a text of lines with values, written unambiguously: texts are quoted, and nil differs from zero. Each method appends and
// returns the longer text.
type Line []byte

// Text appends a text.
func (b Line) Text(text string) Line { return append(appendQuoted(b, text), ',') }

// Texts appends several texts.
func (b Line) Texts(texts ...string) Line {
	for _, text := range texts {
		b = b.Text(text)
	}
	return b
}

// Bool appends true or false.
func (b Line) Bool(is bool) Line { return append(strconv.AppendBool(b, is), ',') }

// Number appends a number, which may be nil.
func (b Line) Number(n *int32) Line {
	if n != nil {
		b = strconv.AppendInt(b, int64(*n), 10)
	}
	return append(b, ',')
}

// Hex appends bytes as the text with their hexadecimal digits.
func (b Line) Hex(sum []byte) Line {
	return append(hex.AppendEncode(append(b, '"'), sum), '"', ',')
}

// ID appends the ID of an object.
func (b Line) ID(id manifest.ID) Line {
	for _, part := range [...]string{id.Group, id.Kind, id.Namespace, id.Name} {
		b = appendQuoted(b, part)
	}
	return append(b, ',')
}

// End ends a line.
func (b Line) End() Line { return append(b, '\n') }

// appendQuoted is strconv.AppendQuote, which is slow for the usual text: printable ASCII that needs no escape.
func appendQuoted(b Line, text string) Line {
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
