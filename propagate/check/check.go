// Package check is what a reviewer must know about a repository: mistakes that no decoder can see, and things that
// mean something other than they seem to. A check looks at a Review, which is the planner's input with its plan, and
// returns findings with their place, one sentence and what to write instead. It decides nothing.
//
// One file a check; the table in All is where a reader learns what exists, and docs/checks.md is made from it.
// No value of a Secret, and none that looks like one, is ever part of a message.
package check

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/propagate"
)

// Check is one thing that a reviewer must know.
type Check struct {
	// Code is stable and in kebab-case; tools may refer to it.
	Code string
	// Severity of its findings; the highest one, where Why says that it depends.
	Severity propagate.Severity
	// Summary is one line: what it finds.
	Summary string
	// Why is what happens, for who asks why this is worth a finding.
	Why string
	// Fix is what to do about it.
	Fix string
	// Example is YAML with a mistake that the check finds.
	Example string

	// rendered says that the check looks at finished objects, and not only at what was decided about them.
	rendered bool
	// run leaves the code, and where it is the usual one the severity, to Run. It is nil for what is findings before there
	// is a plan (see Mistakes).
	run func(*Review) []propagate.Finding
}

// All is every check, sorted by code.
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
		suspendedReplicas,
		unknownCluster,
		unknownScheduler,
		unrenderedTemplate,
		wideSelector,
		withoutEffect,
	}
}

// Deciding are the checks that look at no finished object: they cost a fraction of the plan.
func Deciding() []Check {
	return slices.DeleteFunc(All(), func(c Check) bool { return c.rendered })
}

// Run runs checks, all of them when none are given, over an input and the plan that was made of it. The findings are
// sorted by place and without duplicates.
func Run(in propagate.Input, plan *propagate.Plan, checks ...Check) []propagate.Finding {
	return RunOn(in, plan, nil, checks...)
}

// RunOn is Run for who rendered the plan anyway, and has the outcomes of all its objects; without them (nil) they are
// made when a check asks.
func RunOn(in propagate.Input, plan *propagate.Plan, outcomes *Outcomes, checks ...Check) []propagate.Finding {
	if len(checks) == 0 {
		checks = All()
	}
	review := newReview(in, plan, outcomes)
	var all []propagate.Finding
	for _, c := range checks {
		if c.run == nil {
			continue
		}
		for _, f := range c.run(review) {
			f.Code, f.Severity = c.Code, cmp.Or(f.Severity, c.Severity)
			all = append(all, redact(f))
		}
	}
	return sorted(all)
}

// sorted sorts findings by place and drops those that are there twice.
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
