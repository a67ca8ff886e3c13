package check

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var missingOverride = Check{
	Code:     "missing-override",
	Severity: propagate.Error,
	Summary:  "a policy that waits for an override that does not exist",
	Why: "`dependentOverrides` delays objects until each of the overrides exists: an OverridePolicy of the same namespace, or for a " +
		"ClusterPropagationPolicy a ClusterOverridePolicy (Karmada §1.2). While one is missing, accord places nothing new and keeps " +
		"existing objects.",
	Fix: "Correct the name, add the override, or remove the name from the list.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  dependentOverrides: [web-region]     # there is "web-regions"
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			there := r.overridesOf(p)
			for j, name := range p.Spec.DependentOverrides {
				if slices.Contains(there, name) {
					continue
				}
				fix := ""
				if near := manifest.Nearest(name, there); near != "" {
					fix = fmt.Sprintf("write %q", near)
				}
				findings = append(findings, at(p.At(fmt.Sprintf("spec.dependentOverrides[%d]", j)), fix,
					"%s waits for override policy %q, which does not exist (%s)", p.Title(), name, phrase.Count(len(r.won()[p.Title()]), "object")))
			}
		}
		return findings
	},
}

// overridesOf returns the names of the overrides that a policy can wait for.
func (r *Review) overridesOf(p *policy.Policy) []string {
	var names []string
	for _, o := range r.in.Overrides {
		if o.Namespace == p.Namespace {
			names = append(names, o.Name)
		}
	}
	return names
}

// waits reports whether the objects of a policy wait for a missing scheduler or override: see unknown-scheduler,
// missing-override.
func (r *Review) waits(p *policy.Policy) bool {
	return unscheduled(p) || slices.ContainsFunc(p.Spec.DependentOverrides, func(name string) bool {
		return !slices.Contains(r.overridesOf(p), name)
	})
}
