package place

import (
	"cmp"

	"github.com/accord-dev/accord/clusters/fleet"
)

// Candidate is a cluster that passed every filter.
type Candidate struct {
	Cluster fleet.Cluster
	// Room is how many more replicas it has room for, beside what it was given before (Karmada §4.4). It is only asked
	// for where it counts (Question.NeedsRoom); 0 otherwise.
	Room int32
	// Chosen says that the object is on it already, with Before replicas (0 for objects without a count).
	Chosen bool
	Before int32
	// Tier is 0 for the primary affinity, 1 and up for the overflow affinities in their order (Karmada §4.8).
	Tier int
}

// score is 100 for a cluster that has the object already, so that it is preferred (Karmada §4.3, ClusterLocality).
func (c Candidate) score() int64 {
	if c.Chosen {
		return 100
	}
	return 0
}

// available is how many replicas the cluster can have in all. Where there are none to place nobody is asked for room.
func (q Question) available(c Candidate) int64 {
	if q.replicas() == 0 {
		return int64(c.Before)
	}
	return int64(c.Room) + int64(c.Before)
}

// prefer is the order of candidates everywhere: tier ascending, score descending, room with what is there descending,
// name ascending (Karmada §4.3).
func (q Question) prefer(a, b Candidate) int {
	return cmp.Or(
		cmp.Compare(a.Tier, b.Tier),
		cmp.Compare(b.score(), a.score()),
		cmp.Compare(q.available(b), q.available(a)),
		cmp.Compare(a.Cluster.Name, b.Cluster.Name))
}
