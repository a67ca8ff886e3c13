package status

import "unicode/utf8"

const (
	// maxSentence bounds what is said of one object on one cluster, in bytes.
	maxSentence = 256
	// maxMessage bounds the message of a condition, in bytes.
	maxMessage = 1024
)

// shorten cuts s to at most n bytes, between characters, and shows that it did.
func shorten(s string, n int) string {
	const cut = "..."
	if len(s) <= n {
		return s
	}
	n -= len(cut)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + cut
}
