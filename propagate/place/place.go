// Package place says which clusters an object may go to, and why not to the others. It decides about one cluster at
// a time and knows nothing of replicas: that is package divide.
package place

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// A filter refuses a cluster with a sentence about it ("is in exclude") and the path of the refusing field below
// spec.placement; an empty sentence lets it pass.
type filter func(policy.Placement, fleet.Cluster) (why, field string)

// On asks every filter, in order; the first that refuses answers. An empty why means the cluster may be chosen.
func On(p policy.Placement, c fleet.Cluster) (why, field string) {
	for _, refuses := range []filter{affinity} {
		if why, field = refuses(p, c); why != "" {
			return why, field
		}
	}
	return "", ""
}

// affinity is placement.clusterAffinity (Karmada §2.3); absent, every cluster matches.
func affinity(p policy.Placement, c fleet.Cluster) (why, field string) {
	if p.ClusterAffinity == nil {
		return "", ""
	}
	ok, why, field := c.Matches(*p.ClusterAffinity)
	if ok {
		return "", ""
	}
	return why, "clusterAffinity." + field
}

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
