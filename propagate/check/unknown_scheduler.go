package check

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var unknownScheduler = Check{
	Code:     "unknown-scheduler",
	Severity: propagate.Error,
	Summary:  "a schedulerName that accord does not support",
	Why: "accord supports only default-scheduler. As in Karmada, objects with another scheduler wait for it: accord places nothing " +
		"new and keeps existing objects.",
	Fix: "Remove `schedulerName`.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  schedulerName: default
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			if unscheduled(p) {
				findings = append(findings, at(p.At("spec.schedulerName"), "remove spec.schedulerName",
					"%s requests scheduler %q, which accord does not support (%s)", p.Title(), p.Spec.SchedulerName, phrase.Count(len(r.won()[p.Title()]), "object")))
			}
		}
		return findings
	},
}

// unscheduled reports whether the objects of a policy wait for another scheduler.
func unscheduled(p *policy.Policy) bool {
	return p.Spec.SchedulerName != "" && p.Spec.SchedulerName != policy.DefaultScheduler
}
