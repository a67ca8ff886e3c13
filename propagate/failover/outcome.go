package failover

import (
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Reasons and producers of tasks.
const (
	TaintUntolerated   = "TaintUntolerated"
	ApplicationFailure = "ApplicationFailure"
	ClusterRemoved     = "ClusterRemoved"

	TaintManager        = "TaintManager"
	ApplicationFailover = "ApplicationFailover"
	ClusterRemoval      = "ClusterRemoval"
)

// Outcome is a decision about the evictions of one Federation.
type Outcome struct {
	// Tasks has all tasks of each object whose tasks changed, sorted by cluster; an empty list for an object that has none any more.
	Tasks map[manifest.ID][]v1alpha1.GracefulEvictionTask
	// UnhealthySince has, for the objects of the input with application failover, the time since which the copy on a cluster is unhealthy.
	// An object without an unhealthy copy is not in the map.
	UnhealthySince map[manifest.ID]map[string]time.Time
	// Again is the next time at which the decision can change without another input; zero when there is none.
	Again time.Time
	// Doubt is the reason why accord doubts its own network: no task begins, and none ends. Empty otherwise.
	Doubt string
	// Blocked are the evictions that have a cause and do not begin, sorted by object and cluster.
	Blocked []Blocked
	// Waiting has one entry for each open task, sorted by object and cluster.
	Waiting []Waiting
	// Events are the changes of this decision, sorted by object and cluster.
	Events []Event
}

// Blocked is an eviction that does not begin.
type Blocked struct {
	ID      manifest.ID
	Cluster string
	// Message is the cause of the eviction and the reason why it does not begin, Reason only the latter; neither ends with a period.
	Message, Reason string
	// Needless means that nothing is lost without the eviction, because the copy has finished.
	Needless bool
}

// Waiting names the event that ends an open task.
type Waiting struct {
	ID      manifest.ID
	Cluster string
	// Message is a sentence without a period: "waits until Deployment shop/web is healthy on eu-2".
	Message string
	// Deadline is the end of the grace period, while it changes something; zero otherwise.
	Deadline time.Time
}

// Event is one change of the evictions of an object.
type Event struct {
	Kind    EventKind
	ID      manifest.ID
	Cluster string
	Message string
}

// EventKind is the reason of an Event.
type EventKind string

const (
	ClusterEvicting   EventKind = "ClusterEvicting"   // a task began
	ClusterEvicted    EventKind = "ClusterEvicted"    // the old copy was given up
	EvictionCancelled EventKind = "EvictionCancelled" // the object stays
)
