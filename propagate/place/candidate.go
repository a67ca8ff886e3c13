package place

import "github.com/accord-dev/accord/clusters/fleet"

// Candidate is a cluster that passed every filter.
type Candidate struct {
	Cluster fleet.Cluster
	// Room is how many more replicas it has room for, beside what it was given before (Karmada §4.4). It is only asked
	// for where it counts; 0 otherwise.
	Room int32
	// Chosen says that the object is on it already, with Before replicas (0 for objects without a count).
	Chosen bool
	Before int32
	// Tier is 0 for the primary affinity, 1 and up for the overflow affinities in their order (Karmada §4.8).
	Tier int
}
