package check

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var missingOverride = Check{
	Code:     "missing-override",
	Severity: propagate.Error,
	Summary:  "a policy that waits for an override that is not there",
	Why: "`dependentOverrides` keeps objects back until each of the overrides exists: an OverridePolicy of the same namespace, or for a " +
		"ClusterPropagationPolicy a ClusterOverridePolicy (Karmada §1.2). As long as one is missing nothing is placed anew, and what runs stays.",
	Fix: "Correct the name, add the override, or take the name out of the list.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  dependentOverrides: [web-region]     # there is "web-regions"
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			there := r.overridesOf(p)
			for j, name := range p.Spec.DependentOverrides {
				if slices.Contains(there, name) {
					continue
				}
				fix := ""
				if near := manifest.Nearest(name, there); near != "" {
					fix = fmt.Sprintf("write %q", near)
				}
				found = append(found, at(p.At(fmt.Sprintf("spec.dependentOverrides[%d]", j)), fix,
					"%s waits for the override policy %q, which is not there (%s)", p.Title(), name, count(len(r.claim(p).won), "object")))
			}
		}
		return found
	},
}

// overridesOf are the names of the overrides that a policy can wait for.
func (r *Review) overridesOf(p *policy.Policy) []string {
	var names []string
	for _, o := range r.in.Overrides {
		if o.Namespace == p.Namespace {
			names = append(names, o.Name)
		}
	}
	return names
}

// waits says whether the objects of a policy wait for something that is not there: see unknown-scheduler, missing-override.
func (r *Review) waits(p *policy.Policy) bool {
	return unscheduled(p) || slices.ContainsFunc(p.Spec.DependentOverrides, func(name string) bool {
		return !slices.Contains(r.overridesOf(p), name)
	})
}
