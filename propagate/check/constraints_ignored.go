package check

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var constraintsIgnored = Check{
	Code:     "constraints-ignored",
	Severity: propagate.Warning,
	Summary:  "spread constraints without effect: beside static weights, or the numbers of zone and provider",
	Why: "If replicas are divided by static weights, or without weights, accord chooses every cluster that fits and ignores " +
		"`spreadConstraints` (Karmada §4.5). The weights alone determine the replicas of each cluster. A " +
		"constraint by zone or provider only excludes clusters without one: accord ignores its `minGroups` and `maxGroups`, as Karmada " +
		"does.",
	Fix: "Remove the constraints, or divide by `dynamicWeight: AvailableReplicas` or `Aggregated`, which respect them. Spread by " +
		"region, or write a policy for each zone or provider.",
	Example: `
placement:
  replicaScheduling:
    replicaSchedulingType: Divided
    weightPreference:
      staticWeightList: [{targetCluster: {clusterNames: [eu]}, weight: 1}]
  spreadConstraints: [{spreadByField: cluster, maxGroups: 2}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			if len(p.Spec.Placement.SpreadConstraints) > 0 && static(p.Spec.Placement.ReplicaScheduling) {
				findings = append(findings, at(p.At("spec.placement.spreadConstraints"), "remove spec.placement.spreadConstraints, or divide by dynamicWeight",
					"%s: spec.placement.spreadConstraints has no effect: static weights divide replicas over all clusters that fit", p.Title()))
				continue
			}
			findings = append(findings, ignoredNumbers(p)...)
		}
		return findings
	},
}

// ignoredNumbers returns the findings about minGroups and maxGroups of constraints that only exclude clusters.
func ignoredNumbers(p *policy.Policy) []propagate.Finding {
	var findings []propagate.Finding
	for i, s := range p.Spec.Placement.SpreadConstraints {
		if s.SpreadByField != "zone" && s.SpreadByField != "provider" {
			continue
		}
		field := fmt.Sprintf("spec.placement.spreadConstraints[%d]", i)
		for _, number := range []struct {
			name string
			acts bool
		}{{"minGroups", s.MinGroups > 1}, {"maxGroups", s.MaxGroups > 0}} {
			if number.acts {
				findings = append(findings, at(p.At(field+"."+number.name), "spread by region, or write a policy for each "+s.SpreadByField,
					"%s: %s.%s has no effect: a constraint by %s only excludes clusters without a %[4]s", p.Title(), field, number.name, s.SpreadByField))
			}
		}
	}
	return findings
}

// static reports whether replicas are divided by weights that do not change (Karmada §4.5).
func static(s *policy.ReplicaScheduling) bool {
	if s == nil || s.ReplicaSchedulingType != policy.Divided || s.ReplicaDivisionPreference != policy.Weighted {
		return false
	}
	w := s.WeightPreference
	return w == nil || len(w.StaticWeightList) > 0 && w.DynamicWeight == ""
}
