package tenancy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// maxRefusals bounds the refusals of one plan.
const maxRefusals = 100

// Refusal is one thing that a Tenant does not allow.
type Refusal struct {
	// Tenant is the name of the Tenant; empty if no Tenant governs the Federation, or several do.
	Tenant string
	// Rule is the field of the Tenant, "spec.namespaces".
	Rule string
	// Object is the refused thing: "ConfigMap team-b/settings", "Cluster eu-1", "source app".
	Object string
	// At is the place in Git; zero for a thing that is not in Git.
	At      manifest.Origin
	Message string
	Fix     string
}

// Error returns the sentence with its place and the fix.
func (r Refusal) Error() string {
	text := r.Message + ": " + r.Fix
	if at := r.At.String(); at != "" {
		return at + ": " + text
	}
	return text
}

// Findings returns the refusals as findings that always block.
func Findings(refusals []Refusal) []propagate.Finding {
	all := make([]propagate.Finding, len(refusals))
	for i, r := range refusals {
		all[i] = propagate.Finding{At: r.At, Severity: propagate.Error, Code: check.Tenant.Code, Message: r.Message, Fix: r.Fix, Unconditional: true}
	}
	return all
}

// sorted sorts refusals by their place and keeps the first ones.
func sorted(all []Refusal) []Refusal {
	slices.SortStableFunc(all, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.At.Source, b.At.Source), cmp.Compare(a.At.Path, b.At.Path), cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.Object, b.Object), cmp.Compare(a.Rule, b.Rule))
	})
	if more := len(all) - maxRefusals; more > 0 {
		last := all[maxRefusals-1]
		last.Message += fmt.Sprintf(" (and %d more refusals)", more)
		all = append(all[:maxRefusals-1:maxRefusals-1], last)
	}
	return all
}
