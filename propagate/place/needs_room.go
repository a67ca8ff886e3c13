package place

import (
	"math"

	"github.com/accord-dev/accord/api/policy"
)

// NeedsRoom reports whether the choice or the division of replicas depends on Candidate.Room; otherwise the caller need
// not estimate it.
func (q Question) NeedsRoom() bool {
	if q.replicas() == 0 {
		return false
	}
	return q.dynamic() || q.choosesByRoom()
}

// dynamic reports whether shares follow the room of clusters (Karmada §4.6).
func (q Question) dynamic() bool {
	if !q.divided() {
		return false
	}
	s := q.Placement.ReplicaScheduling
	return s.ReplicaDivisionPreference == policy.Aggregated ||
		s.WeightPreference != nil && s.WeightPreference.DynamicWeight != ""
}

// choosesByRoom reports whether spread constraints consider room: they do unless they take every cluster in any case.
func (q Question) choosesByRoom() bool {
	if q.unconstrained() {
		return false
	}
	cluster := q.constraint("cluster")
	return q.constraint("region").there || cluster.there && (q.divided() || cluster.most < math.MaxInt)
}
