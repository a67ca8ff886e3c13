package manifest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
)

// NameRule is a rule of the API server for the names of a kind.
type NameRule struct {
	allows func(name string, prefix bool) []string
	text   string
	most   int // characters
}

// The rules of most kinds.
var (
	DNSSubdomain = NameRule{validation.NameIsDNSSubdomain, "lower-case letters, digits, '-' and '.' are allowed, and the ends must be letters or digits", 253}
	DNSLabel     = NameRule{validation.NameIsDNSLabel, "lower-case letters, digits and '-' are allowed, and the ends must be letters or digits", 63}
)

// AtMost returns the rule for shorter names.
func (r NameRule) AtMost(characters int) NameRule {
	r.most = characters
	return r
}

// InvalidName returns the reason why a name is invalid, with the valid name that was probably meant; "" if it is valid.
func InvalidName(name string, rule NameRule) string {
	switch {
	case len(name) > rule.most:
		return fmt.Sprintf("it has %d characters, at most %d are allowed", len(name), rule.most)
	case len(rule.allows(name, false)) == 0:
		return ""
	}
	near := strings.Trim(strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(name)), "-.")
	if near == "" || len(rule.allows(near, false)) > 0 {
		return rule.text
	}
	return fmt.Sprintf("%s; did you mean %q?", rule.text, near)
}
