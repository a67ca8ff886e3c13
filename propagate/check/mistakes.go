package check

import (
	"errors"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// Mistakes converts the error of reading, sorting or planning a repository: a finding for each mistake in a manifest,
// in the order of the error, and in rest the errors about anything else.
func Mistakes(err error) (findings []propagate.Finding, rest error) {
	var others []error
	for _, e := range flatten(err) {
		mistake, ok := errors.AsType[*manifest.Error](e)
		if !ok {
			others = append(others, e)
			continue
		}
		f := at(mistake.Origin, "", "%s", mistake.Message)
		f.Code, f.Severity = invalid.Code, invalid.Severity
		if before, meant, hinted := strings.Cut(f.Message, "; did you mean "); hinted {
			f.Message, f.Fix = before, "write "+strings.TrimSuffix(meant, "?")
		}
		for _, hint := range []string{"; if it is a template", "; read "} {
			if before, _, hinted := strings.Cut(f.Message, hint); hinted {
				f.Message, f.Fix = before, strings.TrimPrefix(f.Message, before+"; ")
			}
		}
		findings = append(findings, redact(f))
	}
	return findings, errors.Join(others...)
}

// flatten returns the joined errors, in order.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}
