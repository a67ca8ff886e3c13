package check

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

var notActedOn = Check{
	Code:     "not-acted-on",
	Severity: propagate.Note,
	Summary:  "a field or a kind that is accepted and has no effect in this version",
	Why: "A repository that was written for Karmada is accepted as it is, and what accord does not do is told. Where ignoring a field would put " +
		"something in the wrong place, the object is not placed and what runs stays.",
	Fix: "Nothing has to be done. Remove what is not meant to have an effect; docs/policies.md says what to write instead.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  propagateDeps: true
  failover:
    application: {decisionConditions: {tolerationSeconds: 60}}`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			found = append(found, unacted(p.Meta, p.Title(), p.NotActedOn())...)
		}
		for i := range r.in.Overrides {
			o := &r.in.Overrides[i]
			found = append(found, unacted(o.Meta, o.Title(), o.NotActedOn())...)
		}
		for _, o := range r.objects {
			if o.ID.Group != v1alpha1.GroupVersion.Group && configures(o.ID.Group) {
				found = append(found, at(o.Origin, "", "%s: this kind is not acted on in this version", o.ID))
			}
		}
		return found
	},
}

func unacted(m policy.Meta, title string, fields []string) []propagate.Finding {
	var found []propagate.Finding
	for _, field := range fields {
		if field == "spec.schedulerName" { // see unknown-scheduler
			continue
		}
		found = append(found, at(m.At(field), "", "%s: %s is not acted on in this version", title, field))
	}
	return found
}
