package check

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var claimsNothing = Check{
	Code:     "claims-nothing",
	Severity: propagate.Warning,
	Summary:  "a policy that selects objects and claims none of them",
	Why: "One policy claims an object. A policy has no effect if better policies claim all objects it selects, or if accord never " +
		"propagates these objects. Its placement is then ignored.",
	Fix: "Remove the policy, or make it win: a higher `priority`, a selector with the `name`, or a policy in the namespace of the " +
		"objects.",
	Example: `
kind: PropagationPolicy
metadata: {name: everything, namespace: shop}
spec:
  priority: 5
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
---
kind: PropagationPolicy
metadata: {name: web, namespace: shop}      # never has an object
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	reads: func(_ *Review, o *object) string {
		if o.Policy != nil {
			return ""
		}
		return o.Why
	},
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			if len(r.won()[p.Title()]) > 0 {
				continue
			}
			if selected := r.selected(p.Spec.ResourceSelectors); len(selected) > 0 {
				findings = append(findings, at(p.At("spec.resourceSelectors"), fixOf(p, selected), "%s claims no object: %s", p.Title(), lost(selected)))
			}
		}
		return findings
	},
}

// fixOf returns the fix for a policy that claims nothing: a priority counts only among policies of one scope (Karmada
// §2.2).
func fixOf(p *policy.Policy, selected []*object) string {
	priority := slices.ContainsFunc(selected, func(o *object) bool {
		return o.Policy != nil && o.Policy.ClusterWide() == p.ClusterWide()
	})
	if priority {
		return "remove the policy, or raise its priority"
	}
	return "remove the policy"
}

// lost returns the policies that claim the objects which another one selects.
func lost(selected []*object) string {
	var winners []string
	never := 0
	for _, o := range selected {
		switch {
		case o.Policy == nil:
			never++
		case !slices.Contains(winners, o.Policy.Title()):
			winners = append(winners, o.Policy.Title())
		}
	}
	switch {
	case len(winners) == 0:
		return fmt.Sprintf("%s cannot be propagated: %s", some(selected), selected[0].Why)
	case never == 0:
		return fmt.Sprintf("%s is claimed by %s", some(selected), phrase.And(winners, named))
	}
	return fmt.Sprintf("of its %s, %d cannot be propagated and other policies claim the rest: %s",
		phrase.Count(len(selected), "object"), never, phrase.And(winners, named))
}
