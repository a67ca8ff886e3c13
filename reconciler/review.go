package reconciler

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/propagate"
)

// worstFirst sorts findings, since a Release has room for a few.
func worstFirst(findings []propagate.Finding) []propagate.Finding {
	weight := map[propagate.Severity]int{propagate.Warning: 1, propagate.Note: 2}
	slices.SortStableFunc(findings, func(a, b propagate.Finding) int { return cmp.Compare(weight[a.Severity], weight[b.Severity]) })
	return findings
}

// review keeps what a reviewer should know of the plan that comes into force.
func (f *federation) review(findings []propagate.Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.findings = findings
}

// told is a finding in one line.
func told(f propagate.Finding) string {
	line := f.At.String() + ": " + f.Message
	if f.Fix != "" {
		line += " (" + f.Fix + ")"
	}
	return line
}
