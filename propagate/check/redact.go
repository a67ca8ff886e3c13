package check

import (
	"regexp"
	"strings"

	"github.com/accord-dev/accord/propagate"
)

// quoted is a text that a message repeats; assigned is name=value or name: value in it.
var (
	quoted   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	assigned = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.-]*)\s*[=:]\s*([^\s"'\\,}]+)`)
)

const redacted = "(redacted: looks like a secret)"

// redact is the last line of defence: mistakes repeat what is written, and what looks secret in that is taken out.
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

// looksSecret says whether a text is secret, or has an assignment of something secret in it.
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
