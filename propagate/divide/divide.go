// Package divide says how many replicas each chosen cluster gets.
package divide

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/place"
)

// Request is all that a division depends on.
type Request struct {
	Total int32
	// Scheduling is nil when the policy says nothing about replicas.
	Scheduling *policy.ReplicaScheduling
	// Candidates are the clusters that were selected.
	Candidates []place.Candidate
	// Seed decides ties, the same for the same object for ever.
	Seed uint32
	// Fresh forgets what was given before (Karmada §4.8).
	Fresh bool
}

// Share is what one cluster gets.
type Share struct {
	Replicas int32
	// Refused is why the cluster gets nothing and is not a target; empty when it is one.
	Refused string
	// Field is the path of the refusing field below spec.placement.
	Field string
}

const weightPreference = "replicaScheduling.weightPreference"

// Replicas divides the total over the candidates as the policy says; the answer is in their order. The error is a
// *place.Problem: there is not enough room.
//
// Without replicaScheduling, or with Duplicated, each gets all of them. Divided goes by static weights with Webster's
// method (Karmada §4.6, §4.7); the ties are decided by seed, the same for the same object for ever.
//
// A cluster that no weight matches is not a target, and neither is one whose share is zero, as in Karmada. When total
// itself is zero every cluster with a weight stays a target, so that scaling to zero deletes nothing.
func Replicas(r Request) ([]Share, error) {
	shares := make([]Share, len(r.Candidates))
	s, total := r.Scheduling, r.Total
	if s == nil || s.ReplicaSchedulingType != policy.Divided {
		for i := range shares {
			shares[i].Replicas = total
		}
		return shares, nil
	}
	weights := weightsOf(s.WeightPreference, r.Candidates)
	parties := make([]Party, len(r.Candidates))
	for i, c := range r.Candidates {
		parties[i] = Party{Name: c.Cluster.Name, Votes: weights[i]}
	}
	for i, seats := range Webster(total, parties, r.Seed) {
		shares[i].Replicas = seats
		switch {
		case weights[i] == 0:
			shares[i].Refused, shares[i].Field = "matches no entry of staticWeightList", weightPreference+".staticWeightList"
		case seats == 0 && total > 0:
			shares[i].Refused, shares[i].Field = fmt.Sprintf("its share of %d replicas is 0", total), "replicaScheduling"
		}
	}
	return shares, nil
}

// weightsOf are the weights of the clusters: the largest of the entries that match, 0 when none does; all equal
// when there is no list, or nothing in it matches any of them (Karmada §4.7).
func weightsOf(p *policy.WeightPreference, candidates []place.Candidate) []int64 {
	weights := make([]int64, len(candidates))
	matched := false
	if p != nil {
		for i, c := range candidates {
			for _, w := range p.StaticWeightList {
				if ok, _, _ := c.Cluster.Matches(w.TargetCluster); ok {
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
