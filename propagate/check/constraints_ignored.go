package check

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var constraintsIgnored = Check{
	Code:     "constraints-ignored",
	Severity: propagate.Warning,
	Summary:  "spread constraints without effect, because replicas are divided by static weights",
	Why: "If replicas are divided by static weights, or without weights, accord chooses every cluster that fits and ignores " +
		"`spreadConstraints` (Karmada §4.5). The weights alone determine the replicas of each cluster.",
	Fix: "Remove the constraints, or divide by `dynamicWeight: AvailableReplicas` or `Aggregated`, which respect them.",
	Example: `
placement:
  replicaScheduling:
    replicaSchedulingType: Divided
    weightPreference:
      staticWeightList: [{targetCluster: {clusterNames: [eu]}, weight: 1}]
  spreadConstraints: [{spreadByField: cluster, maxGroups: 2}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			if len(p.Spec.Placement.SpreadConstraints) > 0 && static(p.Spec.Placement.ReplicaScheduling) {
				findings = append(findings, at(p.At("spec.placement.spreadConstraints"), "remove spec.placement.spreadConstraints, or divide by dynamicWeight",
					"%s: spec.placement.spreadConstraints has no effect: static weights divide replicas over all clusters that fit", p.Title()))
			}
		}
		return findings
	},
}

// static reports whether replicas are divided by weights that do not change (Karmada §4.5).
func static(s *policy.ReplicaScheduling) bool {
	if s == nil || s.ReplicaSchedulingType != policy.Divided || s.ReplicaDivisionPreference != policy.Weighted {
		return false
	}
	w := s.WeightPreference
	return w == nil || len(w.StaticWeightList) > 0 && w.DynamicWeight == ""
}
