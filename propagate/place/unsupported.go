package place

import "github.com/accord-dev/accord/api/policy"

// Unsupported says why a placement cannot be honoured in this version, with the field below spec.placement; empty
// when it can. An object with such a placement is placed nowhere and what runs is left as it is: to take one group
// of several, or equal shares in place of measured ones, would move workloads in a way nobody asked for.
//
// Fields that only narrow or order a choice that is right without them (tolerations, spreadConstraints,
// workloadAffinity) are not among them; they are reported and the placement goes ahead without them.
func Unsupported(p policy.Placement) (why, field string) {
	if len(p.ClusterAffinities) > 0 {
		return "clusterAffinities is not acted on in this version; write one clusterAffinity", "clusterAffinities"
	}
	s := p.ReplicaScheduling
	if s == nil || s.ReplicaSchedulingType != policy.Divided {
		return "", ""
	}
	if s.ReplicaDivisionPreference == policy.Aggregated {
		return "replicaDivisionPreference Aggregated is not acted on in this version; use Weighted with staticWeightList",
			"replicaScheduling.replicaDivisionPreference"
	}
	if s.WeightPreference != nil && s.WeightPreference.DynamicWeight != "" {
		return "dynamicWeight is not acted on in this version; use staticWeightList",
			"replicaScheduling.weightPreference.dynamicWeight"
	}
	return "", ""
}
