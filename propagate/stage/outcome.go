package stage

import (
	"time"
)

// Outcome is a decision about one rollout.
type Outcome struct {
	Phase Phase
	// Reason is the reason of the condition.
	Reason  string
	Message string
	// ID of the rollout, which commands name.
	ID string
	// Stage is the current or failed stage; empty when all stages are complete.
	Stage string
	// StageIndex is the position of Stage, from 1; 0 without Stage.
	StageIndex int
	// Decisions, one for every cluster of the input, sorted by name.
	Decisions []Decision
	// Stages, in order.
	Stages []Status
	// WaitingFor is nil only when the rollout is complete.
	WaitingFor *WaitingFor
	// RequeueAt is the next time at which the decision can change without a new input; zero when there is none.
	RequeueAt time.Time
	// OutdatedClusters do not run the wanted version although the rollout is complete: they are held or unreachable, or failed
	// within the budget. Sorted.
	OutdatedClusters []string
	// Events are the changes of this decision, in order.
	Events []Event
	// State is Input.Previous of the next decision.
	State State
}

// Phase of a rollout.
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

// Decision is the outcome for one cluster.
type Decision struct {
	Cluster string
	// Stage of the cluster; empty when it is in none, or in more than one.
	Stage string
	// Held is the reason why the cluster does not get the wanted version; empty when it has got it, even if people hold the
	// cluster now. A held cluster is not changed, unless RollbackTo or Keeps is set.
	Held string
	// RollbackTo is the version that a rollback returns to; nil without a rollback. It has to be rendered from its revision.
	RollbackTo *Version
	// Keeps reports whether a held cluster keeps its current version, to which accord repairs it. A cluster that people or
	// policies hold is not changed at all.
	Keeps bool
	// Changed reports whether this decision updates the cluster or rolls it back.
	Changed bool
}

// Status of one stage.
type Status struct {
	Name string
	// Clusters of the stage in total. Updated clusters got the wanted version, and Healthy clusters are healthy on it.
	Clusters, Updated, Healthy int
	// Failing, Held and Unreachable clusters are tolerated within the failure budget.
	Failing, Held, Unreachable int
	// StartedAt and CompletedAt are times of this rollout; zero if the stage has not started or completed.
	StartedAt, CompletedAt time.Time
	// Message is one line: "completed 12:03:40, soaked 10m", "waits for europe".
	Message string
}

// WaitingFor names the event that a rollout waits for.
type WaitingFor struct {
	// Cluster that is waited for; empty when no single cluster is.
	Cluster string
	Stage   string
	// Message names the event: "to become healthy: ImagePullBackOff".
	Message string
	Since   time.Time
	// Deadline is the latest time at which waiting ends; zero when only a person or a change in Git ends it.
	Deadline time.Time
}

// Event is one change of a rollout.
type Event struct {
	Kind    EventKind
	Stage   string
	Cluster string
	// Message is a sentence; empty if kind, stage and cluster are enough.
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
