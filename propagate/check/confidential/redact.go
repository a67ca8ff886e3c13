package confidential

import (
	"regexp"
	"strings"
)

// quoted matches a quoted text in a message; assigned matches name=value or name: value in such a text.
var (
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	assigned = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.-]*)\s*[=:]\s*([^\s"'\\,}]+)`)
)

const redacted = "(redacted: looks like a secret)"

// Redact returns a message without texts that look secret: an error may quote a manifest.
func Redact(message string) string {
	message = quoted.ReplaceAllStringFunc(message, func(text string) string {
		if looksSecret(strings.Trim(text, `"`)) {
			return redacted
		}
		return text
	})
	if what, _ := Describe("", message); what != "" { // outside of quotes
		return "the message is redacted: its text looks like " + what
	}
	return message
}

// looksSecret reports whether a text is secret, or assigns something secret.
func looksSecret(text string) bool {
	if what, _ := Describe("", text); what != "" {
		return true
	}
	for _, m := range assigned.FindAllStringSubmatch(text, -1) {
		if what, _ := Describe(m[1], m[2]); what != "" {
			return true
		}
	}
	return false
}
