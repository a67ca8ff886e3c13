package check

import (
	"regexp"
	"strings"

	"github.com/accord-dev/accord/propagate"
)

// quoted matches a quoted text in a message; assigned matches name=value or name: value in such a text.
var (
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	assigned = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.-]*)\s*[=:]\s*([^\s"'\\,}]+)`)
)

const redacted = "(redacted: looks like a secret)"

// redact removes texts that look secret from a finding: an error may quote the manifest. It is the last line of
// defence.
func redact(f propagate.Finding) propagate.Finding {
	f.Message, f.Fix = redactText(f.Message), redactText(f.Fix)
	return f
}

func redactText(message string) string {
	message = quoted.ReplaceAllStringFunc(message, func(text string) string {
		if looksSecret(strings.Trim(text, `"`)) {
			return redacted
		}
		return text
	})
	if what, _ := secretText("", message); what != "" { // outside of quotes
		return "the message is redacted: its text looks like " + what
	}
	return message
}

// looksSecret reports whether a text is secret, or assigns something secret.
func looksSecret(text string) bool {
	if what, _ := secretText("", text); what != "" {
		return true
	}
	for _, m := range assigned.FindAllStringSubmatch(text, -1) {
		if what, _ := secretText(m[1], m[2]); what != "" {
			return true
		}
	}
	return false
}
