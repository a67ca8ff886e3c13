package check

import (
	"regexp"
	"strings"

	"github.com/accord-dev/accord/propagate"
)

// Blocking returns the findings that block a change: those of severity Error that a change brings, or that are unconditional.
// before has the findings of the state before the change, after those of the state with it. "accord plan" fails for them, and
// the controllers reject the commit.
func Blocking(before, after []propagate.Finding) []propagate.Finding {
	var blocking []propagate.Finding
	for i, isNew := range New(before, after) {
		if Blocks(after[i].Severity, isNew || after[i].Unconditional) {
			blocking = append(blocking, after[i])
		}
	}
	return blocking
}

// Blocks reports whether a finding of a severity blocks a change. isNew is set if the change brings the finding.
func Blocks(s propagate.Severity, isNew bool) bool { return isNew && s == propagate.Error }

// New reports for each finding of after whether before lacks it, whatever its line.
func New(before, after []propagate.Finding) []bool {
	known := map[string]int{}
	for _, f := range before {
		known[findingKey(f)]++
	}
	all := make([]bool, len(after))
	for i, f := range after {
		k := findingKey(f)
		all[i] = known[k] <= 0
		known[k]--
	}
	return all
}

// BlockingChecks returns the checks that can block a change and read rendered objects. Deciding returns the others.
func BlockingChecks() []Check {
	var all []Check
	for _, c := range All() {
		if c.rendered && c.Severity == propagate.Error {
			all = append(all, c)
		}
	}
	return all
}

// lineNumber matches the line in a place: "policies/web.yaml:14".
var lineNumber = regexp.MustCompile(`:\d+\b`)

// findingKey identifies a finding regardless of line numbers, so that a moved manifest causes no new finding.
func findingKey(f propagate.Finding) string {
	return strings.Join([]string{f.Code, f.At.Source, f.At.Path, lineNumber.ReplaceAllString(f.Message, "")}, "\x00")
}
