// Package check finds mistakes in a repository that no decoder can see, and settings with an unexpected meaning. A
// check reads a Review, the planner's input with its plan, and returns findings: the place, one sentence and a fix. It
// decides nothing.
//
// Each check has one file; the table in All lists them, and docs/reference/checks.md is generated from it. No message contains
// the value of a Secret, or a value that looks like one.
package check

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/confidential"
	"github.com/accord-dev/accord/propagate/concurrent"
)

// Check is one rule of accord lint.
type Check struct {
	// Code is stable and in kebab-case; tools may refer to it.
	Code string
	// Severity of its findings: the highest one, where Why names conditions for a lower one.
	Severity propagate.Severity
	// Summary describes the finding in one line.
	Summary string
	// Why explains the consequences.
	Why string
	// Fix is the advice to the author.
	Fix string
	// Example is YAML with a mistake that the check finds.
	Example string

	// rendered means that the check reads rendered objects, beside the decisions about them. past means that it reads previous
	// decisions.
	rendered, past bool
	// reads returns what run reads of an object beside its ID, kind, labels, policy and clusters; nil means nothing. Next compares it.
	reads func(*Review, *object) string
	// run leaves the code, and the usual severity, to Run. It is nil for findings before there is a plan (see
	// Mistakes).
	run func(*Review) []propagate.Finding
}

// All returns every check, sorted by code.
func All() []Check {
	return []Check{
		cannotRender,
		changesNothing,
		claimedTwice,
		claimsNothing,
		clusterScoped,
		constraintsIgnored,
		customizesNothing,
		defaultNamespace,
		deprecated,
		equalShares,
		everyCluster,
		goesNowhere,
		idleWeight,
		initContainers,
		interpreterFails,
		invalid,
		matchesNothing,
		missingCRD,
		missingOverride,
		noReplicas,
		notActedOn,
		overridesConflict,
		replacesMap,
		rolloutStages,
		secretValue,
		shortToleration,
		suspendedReplicas,
		Tenant,
		unknownCluster,
		unknownScheduler,
		unknownScope,
		unrenderedTemplate,
		wideSelector,
		withoutEffect,
	}
}

// Deciding returns the checks that read no rendered object: they cost a fraction of the plan.
func Deciding() []Check {
	return slices.DeleteFunc(All(), func(c Check) bool { return c.rendered })
}

// Run runs checks, by default all, over an input and its plan. It returns the findings sorted by place and without
// duplicates.
func Run(in propagate.Input, plan *propagate.Plan, checks ...Check) []propagate.Finding {
	return RunOn(in, plan, nil, checks...)
}

// RunOn is Run for a caller that has rendered the plan and has its outcomes; without them (nil) a check renders the
// plan when it needs to.
func RunOn(in propagate.Input, plan *propagate.Plan, outcomes *Outcomes, checks ...Check) []propagate.Finding {
	return NewReview(in, plan).Run(outcomes, checks...)
}

// Run is RunOn for a caller that runs checks several times: outcomes are those of the first call that has them.
func (r *Review) Run(outcomes *Outcomes, checks ...Check) []propagate.Finding {
	if len(checks) == 0 {
		checks = All()
	}
	r.outcomes = cmp.Or(r.outcomes, outcomes)
	found := make([][]propagate.Finding, len(checks))
	concurrent.Do(len(checks), func(i int) { found[i] = r.findings(checks[i]) })
	for i, c := range checks {
		if !c.rendered {
			r.kept[c.Code] = found[i]
		}
	}
	return sorted(slices.Concat(found...))
}

// findings returns the findings of one check. Run calls it on all cores.
func (r *Review) findings(c Check) []propagate.Finding {
	if found, known := r.kept[c.Code]; known || c.run == nil {
		return found
	}
	found := c.run(r)
	for i, f := range found {
		f.Code, f.Severity = c.Code, cmp.Or(f.Severity, c.Severity)
		found[i] = redact(f)
	}
	return found
}

// redact removes texts that look secret from a finding. It is the last line of defence.
func redact(f propagate.Finding) propagate.Finding {
	f.Message, f.Fix = confidential.Redact(f.Message), confidential.Redact(f.Fix)
	return f
}

// sorted sorts findings by place and drops duplicates.
func sorted(findings []propagate.Finding) []propagate.Finding {
	slices.SortFunc(findings, func(a, b propagate.Finding) int {
		return cmp.Or(
			cmp.Compare(a.At.Source, b.At.Source), cmp.Compare(a.At.Path, b.At.Path),
			cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Fix, b.Fix),
		)
	})
	return slices.Compact(findings)
}
