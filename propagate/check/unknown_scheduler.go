package check

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var unknownScheduler = Check{
	Code:     "unknown-scheduler",
	Severity: propagate.Error,
	Summary:  "a schedulerName that nobody answers to",
	Why:      "There is one scheduler, default-scheduler. As in Karmada, what asks for another waits for it: nothing is placed anew, and what runs stays.",
	Fix:      "Remove `schedulerName`.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  schedulerName: default
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			if unscheduled(p) {
				found = append(found, at(p.At("spec.schedulerName"), "remove spec.schedulerName",
					"%s asks for the scheduler %q, which does not exist (%s)", p.Title(), p.Spec.SchedulerName, count(len(r.claim(p).won), "object")))
			}
		}
		return found
	},
}

// unscheduled says whether the objects of a policy wait for another scheduler.
func unscheduled(p *policy.Policy) bool {
	return p.Spec.SchedulerName != "" && p.Spec.SchedulerName != policy.DefaultScheduler
}
