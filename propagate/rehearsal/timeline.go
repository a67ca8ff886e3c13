package rehearsal

import (
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/previous"
)

// Timeline is the result of a rehearsal.
type Timeline struct {
	Moments []Moment
	// Ends has one entry for each object with failover that was on a failing cluster or is unhealthy, sorted by object and cluster.
	Ends []End
	// Without counts the other objects there, whose policies have no such failover.
	Without int
	// Lasted is the length of the rehearsal.
	Lasted time.Duration
}

// Moment is one event of a rehearsal, about a cluster or about objects on it.
type Moment struct {
	At      time.Duration
	Event   Event
	Cluster string
	Objects []manifest.ID
	// To are the clusters of the object after the event; only for Evicting and Replaced.
	To      []previous.Cluster
	Message string
	// Terms are the rules of an eviction beside its clusters: the cause and the purge mode of an application failover, and the labels of
	// statePreservation. Empty without any.
	Terms string
}

// Event is the kind of a Moment.
type Event string

const (
	Unreachable Event = "Unreachable" // the cluster ceases to answer
	Answers     Event = "Answers"     // the cluster answers again
	NotReady    Event = "NotReady"
	NoExecute   Event = "NoExecute" // the cluster gets the taint
	Ready       Event = "Ready"
	Ailing      Event = "Unhealthy" // the copy of an object becomes unhealthy
	Recovers    Event = "Recovers"  // the copy is healthy again
	Kept        Event = "Kept"      // the old copy stays until a person allows its deletion
	Doubts      Event = "Doubts"    // accord doubts its own network
	Evicting    Event = "Evicting"  // a task begins
	Replaced    Event = "Replaced"  // the object is healthy on its other clusters
	Evicted     Event = "Evicted"   // the old copy is given up
	Cancelled   Event = "Cancelled"
	Blocked     Event = "Blocked" // a task does not begin, or finds no other cluster
)

// End is the state of an object of a failing cluster at the end of a rehearsal.
type End struct {
	ID      manifest.ID
	Cluster string
	State   State
	// Message is the reason of NoPlace and Stays.
	Message string
	// To are the clusters of the object.
	To []previous.Cluster
}

// State of an object of a failing cluster.
type State string

const (
	Moved   State = "Moved"   // it is healthy on other clusters
	Moving  State = "Moving"  // it has other clusters, and is not healthy there yet
	Queued  State = "Queued"  // the rate of evictions delays it
	NoPlace State = "NoPlace" // it has no other cluster, or its eviction is blocked
	Stays   State = "Stays"   // its policy tolerates the failure, or the cluster came back first
)
