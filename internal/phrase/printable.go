package phrase

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns s with all characters escaped that a terminal or a page interprets or hides: control characters with
// line breaks, characters that change the direction of text, and invisible ones. A tab stays.
func Printable(s string) string { return Escape(s, "\t") }

// Line returns s in one line: line breaks and tabs become a space, and other characters are escaped as by Printable.
func Line(s string) string {
	if strings.ContainsAny(s, "\n\r\t") {
		words := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' })
		for i, w := range words {
			words[i] = strings.Trim(w, " ")
		}
		s = strings.Join(words, " ")
	}
	return Printable(s)
}

// Escape returns s with all characters escaped that are not graphic and not in allowed. The escapes are those of JSON, so that
// text in a JSON string stays valid. Bytes that are not UTF-8 become
// U+FFFD.
func Escape(s, allowed string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r, allowed) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch first, second := utf16.EncodeRune(r); {
		case clean(r, allowed):
			b.WriteRune(r)
		case first != utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x\u%04x`, first, second)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func clean(r rune, allowed string) bool {
	return unicode.IsGraphic(r) || strings.ContainsRune(allowed, r)
}
