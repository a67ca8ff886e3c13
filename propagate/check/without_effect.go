package check

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var withoutEffect = Check{
	Code:     "without-effect",
	Severity: propagate.Note,
	Summary:  "a field that has no effect by design",
	Why: "In Karmada a policy keeps what it claimed first, and `preemption` takes it away. Here all policies compete for every object each " +
		"time, so the better one always wins and there is nobody to take an object from.",
	Fix: "Remove the field. `priority` decides alone.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  priority: 5
  preemption: Always
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			if p := &r.in.Policies[i]; p.Spec.Preemption == policy.Always {
				found = append(found, at(p.At("spec.preemption"), "remove spec.preemption",
					"%s: spec.preemption has no effect: all policies compete for every object each time, so there is nobody to take it from", p.Title()))
			}
		}
		return found
	},
}
