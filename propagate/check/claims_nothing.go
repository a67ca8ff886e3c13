package check

import (
	"fmt"
	"slices"

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
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for i := range r.in.Policies {
			if c := r.claim(&r.in.Policies[i]); len(c.selected) > 0 && len(c.won) == 0 {
				findings = append(findings, at(c.policy.At("spec.resourceSelectors"),
					c.fix(), "%s claims no object: %s", c.policy.Title(), c.lost()))
			}
		}
		return findings
	},
}

// fix returns the fix for a policy that claims nothing: a priority counts only among policies of one scope (Karmada
// §2.2).
func (c *claim) fix() string {
	priority := slices.ContainsFunc(c.selected, func(o *object) bool {
		return o.Policy != nil && o.Policy.ClusterWide() == c.policy.ClusterWide()
	})
	if priority {
		return "remove the policy, or raise its priority"
	}
	return "remove the policy"
}

// lost returns the policies that claim the objects which this policy selects.
func (c *claim) lost() string {
	var winners []string
	never := 0
	for _, o := range c.selected {
		switch {
		case o.Policy == nil:
			never++
		case !slices.Contains(winners, o.Policy.Title()):
			winners = append(winners, o.Policy.Title())
		}
	}
	switch {
	case len(winners) == 0:
		return fmt.Sprintf("%s cannot be propagated: %s", some(c.selected), c.selected[0].Why)
	case never == 0:
		return fmt.Sprintf("%s is claimed by %s", some(c.selected), phrase.And(winners, named))
	}
	return fmt.Sprintf("of its %s, %d cannot be propagated and other policies claim the rest: %s",
		phrase.Count(len(c.selected), "object"), never, phrase.And(winners, named))
}
