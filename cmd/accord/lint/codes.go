package lint

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// KnownErrors returns an error for a code that is not the code of a check whose findings are errors.
func KnownErrors(codes []string) error {
	severities, names := map[string]propagate.Severity{}, []string{}
	for _, c := range check.All() {
		severities[c.Code] = c.Severity
		if c.Severity == propagate.Error {
			names = append(names, c.Code)
		}
	}
	for _, code := range codes {
		switch s, known := severities[code]; {
		case code == check.Tenant.Code:
			return fmt.Errorf("check %q cannot be allowed: a Tenant lifts its own rules", code)
		case s == propagate.Error:
		case known:
			return fmt.Errorf("check %q finds no errors, only findings that block nothing", code)
		default:
			if near := manifest.Nearest(code, names); near != "" {
				return fmt.Errorf("unknown check %q; did you mean %q?", code, near)
			}
			return fmt.Errorf("unknown check %q; docs/reference/checks.md lists the checks", code)
		}
	}
	return nil
}
