package stage

import (
	"time"
)

// Outcome is a decision about one rollout.
type Outcome struct {
	Phase Phase
	// Reason is one word for a condition, Message the sentence.
	Reason  string
	Message string
	// ID is what an order has to name; Short is enough of it.
	ID string
	// Stage is the one that has its turn, "" when all were left; Number counts it from 1.
	Stage      string
	StageIndex int
	// Decisions, one for every cluster of the input, sorted by name.
	Decisions []Decision
	// Stages, in order.
	Stages []Status
	// WaitingFor is nil only when the rollout is complete.
	WaitingFor *WaitingFor
	// RequeueAt is the next time at which the clock alone changes something; zero when only a report, an order or Git can.
	RequeueAt time.Time
	// OutdatedClusters are the clusters that do not run what is wanted, although the rollout is complete: held, unreachable or failed
	// within the budget. Sorted.
	OutdatedClusters []string
	// Events are what this decision changed, in order.
	Events []Event
	// State is to be remembered.
	State State
}

// Phase is one word for a rollout.
type Phase string

const (
	Complete           Phase = "Complete"
	Rolling            Phase = "Progressing"
	Soaking            Phase = "Soaking"
	WaitingForApproval Phase = "WaitingForApproval"
	WaitingForWindow   Phase = "WaitingForWindow"
	Paused             Phase = "Paused"
	Halted             Phase = "Halted"
	RolledBack         Phase = "RolledBack"
)

// Decision is what a cluster gets.
type Decision struct {
	Cluster string
	// Stage of the cluster; empty when it is in none, or in more than one.
	Stage string
	// Held is why the cluster does not get what is wanted; empty when it was given it, also when people hold it now. Held is
	// hands off, unless Restore is set.
	Held string
	// RollbackTo is the version to give back, after a rollback; nil otherwise. What it is has to be rendered from its revision.
	RollbackTo *Version
	// Changed says that this decision gave it something new: what was held is wanted now, or there is something to restore.
	Changed bool
}

// Status of one stage.
type Status struct {
	Name string
	// Clusters in all; of these Given have got the wanted version, and Healthy are healthy on it.
	Clusters, Updated, Healthy int
	// Failing, Held and Unreachable are passed over, as far as the budget goes.
	Failing, Held, Unreachable int
	// StartedAt is when the stage got its turn, Passed when it was left; zero when it was not, for this target.
	StartedAt, CompletedAt time.Time
	// Message is one line for people: "passed 12:03:40, soaked 10m", "waits for europe".
	Message string
}

// WaitingFor is what does not move, and how long it may.
type WaitingFor struct {
	// Cluster is empty when it is about the stage or the whole rollout.
	Cluster string
	Stage   string
	// Message is what has to become true, as a noun phrase: "to become healthy: ImagePullBackOff".
	Message string
	Since   time.Time
	// Deadline is when waiting ends at the latest; zero when only a person or Git can end it.
	Deadline time.Time
}

// Event is something that happened.
type Event struct {
	Kind    EventKind
	Stage   string
	Cluster string
	// Message is a sentence; empty where kind, stage and cluster say all.
	Message string
}

// EventKind is the reason of an Event.
type EventKind string

const (
	RolloutStarted    EventKind = "RolloutStarted"    // a new rollout ID
	RolloutSuperseded EventKind = "RolloutSuperseded" // a new rollout ID before the previous rollout completed
	StageStarted      EventKind = "StageStarted"
	ClusterUpdated    EventKind = "ClusterUpdated"  // to the wanted version
	ClusterHealthy    EventKind = "ClusterHealthy"  // on its current version
	ClusterDegraded   EventKind = "ClusterDegraded" // after it was healthy on its current version
	StageCompleted    EventKind = "StageCompleted"
	RolloutHalted     EventKind = "RolloutHalted"
	ClusterRolledBack EventKind = "ClusterRolledBack" // to its last healthy version
	RolloutResumed    EventKind = "RolloutResumed"
	RolloutCompleted  EventKind = "RolloutCompleted"
)
