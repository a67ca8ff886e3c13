// Package divide estimates how many replicas fit on a cluster, and divides the replicas of an object over the chosen
// clusters.
package divide

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/place"
)

// Request has everything that a division depends on.
type Request struct {
	Total int32
	// Scheduling is nil when the policy has no replicaScheduling.
	Scheduling *policy.ReplicaScheduling
	// Candidates are the selected clusters.
	Candidates []place.Candidate
	// Tiers are the names of the affinities that Candidate.Tier counts, the primary one first. They appear in texts
	// only; without them the texts number the tiers.
	Tiers []string
	// Seed breaks ties, always in the same way for the same object.
	Seed uint32
	// Fresh ignores the previous replicas (Karmada §4.8).
	Fresh bool
}

// Share is the result for one cluster.
type Share struct {
	Replicas int32
	// Refused is the reason why the cluster gets nothing and is not a target; empty when it is one.
	Refused string
	// Field is the path of the refusing field below spec.placement.
	Field  string
	Reason place.Reason
}

func (s *Share) refuse(why, field string, reason place.Reason) {
	s.Refused, s.Field, s.Reason = why, field, reason
}

// Fields below spec.placement that a refusal or a problem refers to.
const (
	schedulingField = "replicaScheduling"
	divisionField   = schedulingField + ".replicaDivisionPreference"
	weightField     = schedulingField + ".weightPreference"
	staticField     = weightField + ".staticWeightList"
	dynamicField    = weightField + ".dynamicWeight"
	overflowField   = "clusterAffinities"
)

// Replicas divides the total over the candidates by the policy (Karmada §4.6). It returns the shares in the order of
// the candidates, and the order does not change a share. The error is a *place.Problem: there is not enough room.
//
// Without replicaScheduling, or with Duplicated, each cluster gets all replicas, with or without room. Divided uses
// static weights, which ignore room and previous replicas (Karmada §4.7), or room with dynamicWeight and Aggregated,
// which keep previous replicas as far as possible (Karmada §4.8). The shares of Divided add up to the total.
//
// A cluster whose share is 0 is not a target, as in Karmada. But a cluster stays a target when the total itself is 0:
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

// byRoom reports whether a Divided policy divides by the room of clusters.
func byRoom(s *policy.ReplicaScheduling) bool {
	return aggregated(s) || s.WeightPreference != nil && s.WeightPreference.DynamicWeight != ""
}

// aggregated reports whether a Divided policy uses as few clusters as have room.
func aggregated(s *policy.ReplicaScheduling) bool {
	return s.ReplicaDivisionPreference == policy.Aggregated
}

// duplicated returns the total, which may be 0, for every candidate.
func duplicated(r Request) []Share {
	shares := make([]Share, len(r.Candidates))
	for i := range shares {
		shares[i].Replicas = r.Total
	}
	return shares
}
