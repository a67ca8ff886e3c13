// Package confidential recognizes texts that look like secret values, and removes them from messages.
package confidential

import (
	"fmt"
	"regexp"
	"strings"
)

// unmistakable are forms of values that are secret in any field.
var unmistakable = []struct {
	what string
	is   *regexp.Regexp
}{
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"an AWS access key", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a GitHub token", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})`)},
	{"a GitLab token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"a Slack token", regexp.MustCompile(`\bxox[abprs]-[A-Za-z0-9-]{10,}`)},
	{"a Google API key", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"a Stripe key", regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{16,}`)},
	{"a JSON Web Token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
}

// userinfo matches a URL with a name and a password; the password is the first group.
var userinfo = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@`)

// secretName matches names of fields with secret values, and publicName the exceptions.
var (
	secretName = regexp.MustCompile(`(?i)(passw(or)?d|passphrase|secret|token|api[-_.]?key|access[-_.]?key|private[-_.]?key|credentials?|auth[-_.]?key)$`)
	publicName = regexp.MustCompile(`(?i)^(automount|enable|disable|use|has|need|existing|image)`)
)

// reference matches names of Secrets, which rarely look like passwords.
var reference = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)

// Describe describes a text that looks secret, and reports whether it certainly is. The description never contains
// the text.
func Describe(name, text string) (what string, sure bool) {
	for _, u := range unmistakable {
		if u.is.MatchString(text) {
			return u.what, true
		}
	}
	if m := userinfo.FindStringSubmatch(text); m != nil && !placeholder(m[1]) {
		return "a URL with a password", true
	}
	refers := strings.HasSuffix(strings.ToLower(name), "secret") && reference.MatchString(text)
	if secretName.MatchString(name) && !publicName.MatchString(name) && !refers && !placeholder(text) {
		return fmt.Sprintf("the value of %q", name), false
	}
	return "", false
}

// placeholder reports whether a text stands for a value, or refers to one.
func placeholder(text string) bool {
	switch strings.ToLower(text) {
	case "", "true", "false", "none", "null", "changeme", "change-me", "redacted", "example":
		return true
	}
	return strings.ContainsAny(text, "${<") || strings.Trim(text, "*xX.-") == "" || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "vault:")
}
