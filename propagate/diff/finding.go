package diff

import (
	"regexp"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// findings are those of lint that are new, or stand in a manifest that changed.
func (c *comparison) findings() []Finding {
	var run [2][]propagate.Finding
	propagate.Concurrently(2, func(side int) {
		of := []Side{c.before, c.after}[side]
		run[side] = check.RunOn(of.Input, of.Plan, &c.outcomes[side])
	})
	known := map[string]int{}
	for _, f := range run[0] {
		known[unplaced(f)]++
	}
	found := []Finding{}
	for _, f := range run[1] {
		key := unplaced(f)
		isNew := known[key] <= 0
		known[key]--
		if isNew || c.files.touched(f.At) {
			found = append(found, Finding{Severity: f.Severity, Code: f.Code, Origin: f.At, Message: f.Message, Fix: f.Fix, New: isNew})
		}
	}
	return found
}

// lineNumber is that of a place in a message: "policies/web.yaml:14".
var lineNumber = regexp.MustCompile(`:\d+\b`)

// unplaced is a finding without the lines that it stands on and speaks of: what only moved is not new.
func unplaced(f propagate.Finding) string {
	return joined(f.Code, f.At.Source, f.At.Path, lineNumber.ReplaceAllString(f.Message, ""))
}
