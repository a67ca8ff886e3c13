// Package divide says for how many replicas a cluster has room, and how many replicas each chosen cluster gets.
package divide

import (
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
	// Tiers are the names of the affinities that Candidate.Tier counts, the primary one first. They are only for people;
	// without them tiers are told apart by number.
	Tiers []string
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

// Fields below spec.placement that a refusal or a problem points at.
const (
	schedulingField = "replicaScheduling"
	divisionField   = schedulingField + ".replicaDivisionPreference"
	weightField     = schedulingField + ".weightPreference"
	staticField     = weightField + ".staticWeightList"
	dynamicField    = weightField + ".dynamicWeight"
	overflowField   = "clusterAffinities"
)

// Replicas divides the total over the candidates as the policy says (Karmada §4.6); the answer is in their order, and
// what a cluster gets does not depend on it. The error is a *place.Problem: there is not enough room.
//
// Without replicaScheduling, or with Duplicated, each gets all of them, room or not. Divided goes by static weights,
// where neither room nor the past counts (Karmada §4.7), or by room with dynamicWeight and Aggregated, where what was
// given before stays as far as it can (Karmada §4.8). The shares of Divided add up to the total.
//
// A cluster whose share is 0 is not a target, as in Karmada. But nobody ceases to be one because the total itself is 0:
// see zero.
func Replicas(r Request) ([]Share, error) {
	switch s := r.Scheduling; {
	case s == nil || s.ReplicaSchedulingType != policy.Divided:
		return duplicated(r), nil
	case byRoom(s):
		return dynamic(r)
	default:
		return static(r), nil
	}
}

// byRoom says whether a Divided policy goes by what clusters have room for.
func byRoom(s *policy.ReplicaScheduling) bool {
	return aggregated(s) || s.WeightPreference != nil && s.WeightPreference.DynamicWeight != ""
}

// aggregated says whether a Divided policy wants as few clusters as have room.
func aggregated(s *policy.ReplicaScheduling) bool {
	return s.ReplicaDivisionPreference == policy.Aggregated
}

// duplicated gives everything to everyone, 0 like any other number.
func duplicated(r Request) []Share {
	shares := make([]Share, len(r.Candidates))
	for i := range shares {
		shares[i].Replicas = r.Total
	}
	return shares
}
