// Package divide says how many replicas each chosen cluster gets.
package divide

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// Share is what one cluster gets.
type Share struct {
	Replicas int32
	// Refused is why the cluster gets nothing and is not a target; empty when it is one.
	Refused string
	// Field is the path of the refusing field below spec.placement.
	Field string
}

const weightPreference = "replicaScheduling.weightPreference"

// Replicas divides total over the clusters that may be chosen, as placement says; the answer is in their order.
// Without replicaScheduling, or with Duplicated, each gets all of them. Divided goes by static weights with Webster's
// method (Karmada §4.6, §4.7); the ties are decided by seed, the same for the same object for ever.
//
// A cluster that no weight matches is not a target, and neither is one whose share is zero, as in Karmada. When total
// itself is zero every cluster with a weight stays a target, so that scaling to zero deletes nothing.
func Replicas(total int32, s *policy.ReplicaScheduling, clusters []fleet.Cluster, seed uint32) []Share {
	shares := make([]Share, len(clusters))
	if s == nil || s.ReplicaSchedulingType != policy.Divided {
		for i := range shares {
			shares[i].Replicas = total
		}
		return shares
	}
	weights := weightsOf(s.WeightPreference, clusters)
	parties := make([]Party, len(clusters))
	for i, c := range clusters {
		parties[i] = Party{Name: c.Name, Votes: weights[i]}
	}
	for i, seats := range Webster(total, parties, seed) {
		shares[i].Replicas = seats
		switch {
		case weights[i] == 0:
			shares[i].Refused, shares[i].Field = "matches no entry of staticWeightList", weightPreference+".staticWeightList"
		case seats == 0 && total > 0:
			shares[i].Refused, shares[i].Field = fmt.Sprintf("its share of %d replicas is 0", total), "replicaScheduling"
		}
	}
	return shares
}

// weightsOf are the weights of the clusters: the largest of the entries that match, 0 when none does; all equal
// when there is no list, or nothing in it matches any of them (Karmada §4.7).
func weightsOf(p *policy.WeightPreference, clusters []fleet.Cluster) []int64 {
	weights := make([]int64, len(clusters))
	matched := false
	if p != nil {
		for i, c := range clusters {
			for _, w := range p.StaticWeightList {
				if ok, _, _ := c.Matches(w.TargetCluster); ok {
					weights[i] = max(weights[i], w.Weight)
					matched = true
				}
			}
		}
	}
	if !matched {
		for i := range weights {
			weights[i] = 1
		}
	}
	return weights
}
