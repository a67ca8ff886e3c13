package status

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxSentence bounds what is said of one object on one cluster, in bytes.
	maxSentence = 256
	// maxMessage bounds the message of a condition, in bytes.
	maxMessage = 1024
)

// shorten cuts s between characters so that it takes at most n bytes as JSON, and shows that it did. It is counted as
// JSON because that is what is stored: a message full of angle brackets takes six times what it seems to. Bytes that are
// no characters are replaced, as JSON would: what is written compares equal to what is read back.
func shorten(s string, n int) string {
	const cut = "..."
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	size, end := 0, 0
	for i, r := range s {
		size += jsonSize(r)
		if size > n {
			return s[:end] + cut
		}
		if size <= n-len(cut) {
			end = i + utf8.RuneLen(r)
		}
	}
	return s
}

// jsonSize is how many bytes a character takes in a JSON string as Go and the API server write it.
func jsonSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
		return len(`\n`)
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029':
		return len(`\u0000`)
	}
	return utf8.RuneLen(r)
}
