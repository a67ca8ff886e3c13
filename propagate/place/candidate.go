package place

import (
	"cmp"

	"github.com/accord-dev/accord/clusters/fleet"
)

// Candidate is a cluster that passed every filter.
type Candidate struct {
	// Cluster is that of the fleet. Nobody changes it.
	Cluster *fleet.Cluster
	// Room is the number of additional replicas that fit, beside the previous ones (Karmada §4.4). It is set only if
	// Question.NeedsRoom; 0 otherwise.
	Room int32
	// Chosen means that the object is already there, with Before replicas (0 for objects without a count).
	Chosen bool
	Before int32
	// Unschedulable are those of Before that the cluster cannot schedule and that may move to other clusters (Karmada 4.11).
	Unschedulable int32
	// Failed means that the cluster could not schedule other replicas, which moved away. It gets more only if nothing else has room.
	Failed bool
	// Tier is 0 for the primary affinity, 1 and up for the overflow affinities in their order (Karmada §4.8).
	Tier int
}

// score returns 100 for a cluster that already has the object, to prefer it (Karmada §4.3, ClusterLocality).
func (c Candidate) score() int64 {
	if c.Chosen {
		return 100
	}
	return 0
}

// available returns how many replicas the cluster can have in total; room does not matter for an object without
// replicas.
func (q Question) available(c Candidate) int64 {
	if q.replicas() == 0 {
		return int64(c.Before)
	}
	return int64(c.Room) + int64(c.Before)
}

// prefer orders candidates: tier ascending, score descending, available replicas descending, name ascending (Karmada
// §4.3).
func (q Question) prefer(a, b Candidate) int {
	return cmp.Or(
		cmp.Compare(a.Tier, b.Tier),
		cmp.Compare(b.score(), a.score()),
		cmp.Compare(q.available(b), q.available(a)),
		cmp.Compare(a.Cluster.Name, b.Cluster.Name))
}
