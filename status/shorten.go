package status

import (
	"unicode/utf8"

	"github.com/accord-dev/accord/internal/phrase"
)

const (
	// maxSentence limits a sentence about one object on one cluster, in bytes.
	maxSentence = 256
	// maxMessage limits the message of a condition, in bytes.
	maxMessage = 1024
)

// shorten cuts s between characters so that it takes at most n bytes as JSON, and ends a cut text with "...". It counts
// JSON bytes, the stored form: a message full of angle brackets takes six times its length. The text is one line, and
// control characters, invisible ones and those that reverse text are escaped: members, webhooks and Git write parts of it.
func shorten(s string, n int) string {
	const cut = "..."
	s = phrase.Line(s)
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

// jsonSize returns the bytes of a character in a JSON string as Go and the API server write it.
func jsonSize(r rune) int {
	switch {
	case r == '"', r == '\\', r == '\n', r == '\r', r == '\t', r == '\b', r == '\f':
		return len(`\n`)
	case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029':
		return len(`\u0000`)
	}
	return utf8.RuneLen(r)
}
