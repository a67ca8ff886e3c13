package place

import (
	"math"

	"github.com/accord-dev/accord/api/policy"
)

// NeedsRoom says whether the answer depends on the room of the candidates (Candidate.Room), here or when the replicas
// are divided; where it does not, estimating it can be spared.
func (q Question) NeedsRoom() bool {
	if q.replicas() == 0 {
		return false
	}
	return q.dynamic() || q.choosesByRoom()
}

// dynamic says whether shares follow the room of clusters (Karmada §4.6).
func (q Question) dynamic() bool {
	if !q.divided() {
		return false
	}
	s := q.Placement.ReplicaScheduling
	return s.ReplicaDivisionPreference == policy.Aggregated ||
		s.WeightPreference != nil && s.WeightPreference.DynamicWeight != ""
}

// choosesByRoom says whether spread constraints look at room: they do unless they take every cluster whatever it has.
func (q Question) choosesByRoom() bool {
	if q.unconstrained() {
		return false
	}
	cluster := q.constraint("cluster")
	return q.constraint("region").there || cluster.there && (q.divided() || cluster.most < math.MaxInt)
}
