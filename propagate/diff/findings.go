package diff

import (
	"regexp"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// findings returns the lint findings of after that are new or in a changed manifest.
func (c *comparison) findings() []Finding {
	var run [2][]propagate.Finding
	propagate.Concurrently(2, func(side int) {
		of := []Side{c.before, c.after}[side]
		run[side] = check.RunOn(of.Input, of.Plan, &c.checkOutcomes[side])
	})
	known := map[string]int{}
	for _, f := range run[0] {
		known[findingKey(f)]++
	}
	found := []Finding{}
	for _, f := range run[1] {
		key := findingKey(f)
		isNew := known[key] <= 0
		known[key]--
		if isNew || c.files.touched(f.At) {
			found = append(found, Finding{Severity: f.Severity, Code: f.Code, Origin: f.At, Message: f.Message, Fix: f.Fix, New: isNew})
		}
	}
	return found
}

// lineNumber matches the line in a place: "policies/web.yaml:14".
var lineNumber = regexp.MustCompile(`:\d+\b`)

// findingKey identifies a finding regardless of line numbers, so that a moved manifest causes no new finding.
func findingKey(f propagate.Finding) string {
	return joinKey(f.Code, f.At.Source, f.At.Path, lineNumber.ReplaceAllString(f.Message, ""))
}
