package check

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var constraintsIgnored = Check{
	Code:     "constraints-ignored",
	Severity: propagate.Warning,
	Summary:  "spread constraints beside static weights, which make them have no effect",
	Why: "With replicas divided by static weights, or by no weights at all, every cluster that fits is chosen, and `spreadConstraints` choose nothing " +
		"(Karmada §4.5). The weights alone decide who gets how much.",
	Fix: "Leave the constraints out, or divide by `dynamicWeight: AvailableReplicas` or `Aggregated`, which obey them.",
	Example: `
placement:
  replicaScheduling:
    replicaSchedulingType: Divided
    weightPreference:
      staticWeightList: [{targetCluster: {clusterNames: [eu]}, weight: 1}]
  spreadConstraints: [{spreadByField: cluster, maxGroups: 2}]`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			if len(p.Spec.Placement.SpreadConstraints) > 0 && static(p.Spec.Placement.ReplicaScheduling) {
				found = append(found, at(p.At("spec.placement.spreadConstraints"), "remove spec.placement.spreadConstraints, or divide by dynamicWeight",
					"%s: spec.placement.spreadConstraints has no effect: replicas are divided by static weights, over all clusters that fit", p.Title()))
			}
		}
		return found
	},
}

// static says whether replicas are divided by weights that do not change (Karmada §4.5).
func static(s *policy.ReplicaScheduling) bool {
	if s == nil || s.ReplicaSchedulingType != policy.Divided || s.ReplicaDivisionPreference != policy.Weighted {
		return false
	}
	w := s.WeightPreference
	return w == nil || len(w.StaticWeightList) > 0 && w.DynamicWeight == ""
}
