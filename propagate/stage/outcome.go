package stage

import (
	"time"
)

// Outcome is a decision about one rollout.
type Outcome struct {
	Verdict Verdict
	// Reason is one word for a condition, Message the sentence.
	Reason  string
	Message string
	// Target is what an order has to name; Short is enough of it.
	Target string
	// Stage is the one that has its turn, "" when all were left; Number counts it from 1.
	Stage  string
	Number int
	// Decisions, one for every cluster of the input, sorted by name.
	Decisions []Decision
	// Stages, in order.
	Stages []Figures
	// WaitingFor is nil only when the rollout is complete.
	WaitingFor *WaitingFor
	// LookAgain is the next time at which the clock alone changes something; zero when only a report, an order or Git can.
	LookAgain time.Time
	// Behind are the clusters that do not run what is wanted, although the rollout is complete: held, unreachable or failed
	// within the budget. Sorted.
	Behind []string
	// Events are what this decision changed, in order.
	Events []Event
	// State is to be remembered.
	State State
}

// Verdict is one word for a rollout.
type Verdict string

const (
	Complete           Verdict = "Complete"
	Rolling            Verdict = "Progressing"
	Soaking            Verdict = "Soaking"
	WaitingForApproval Verdict = "WaitingForApproval"
	WaitingForWindow   Verdict = "WaitingForWindow"
	Paused             Verdict = "Paused"
	Halted             Verdict = "Halted"
	RolledBack         Verdict = "RolledBack"
)

// Decision is what a cluster gets.
type Decision struct {
	Cluster string
	// Stage of the cluster; empty when it is in none, or in more than one.
	Stage string
	// Held is why the cluster does not get what is wanted; empty when it was given it, also when people hold it now. Held is
	// hands off, unless Restore is set.
	Held string
	// Restore is the version to give back, after a rollback; nil otherwise. What it is has to be rendered from its revision.
	Restore *Version
	// Changed says that this decision gave it something new: what was held is wanted now, or there is something to restore.
	Changed bool
}

// Figures of one stage.
type Figures struct {
	Name string
	// Clusters in all; of these Given have got the wanted version, and Healthy are healthy on it.
	Clusters, Given, Healthy int
	// Failing, Held and Unreachable are passed over, as far as the budget goes.
	Failing, Held, Unreachable int
	// Began is when the stage got its turn, Passed when it was left; zero when it was not, for this target.
	Began, Passed time.Time
	// Note is one line for people: "passed 12:03:40, soaked 10m", "waits for europe".
	Note string
}

// WaitingFor is what does not move, and how long it may.
type WaitingFor struct {
	// Cluster is empty when it is about the stage or the whole rollout.
	Cluster string
	Stage   string
	// Condition is what has to become true, as a noun phrase: "to become healthy: ImagePullBackOff".
	Condition string
	Since     time.Time
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

// EventKind is one word for an Event.
type EventKind string

const (
	Started    EventKind = "Started"    // a new target
	Superseded EventKind = "Superseded" // a new target, while the one before was under way
	Entered    EventKind = "Entered"    // a stage
	Given      EventKind = "Given"      // a cluster the wanted version
	Became     EventKind = "Healthy"    // a cluster, on what it was given
	Relapsed   EventKind = "Unhealthy"  // a cluster that was healthy on it
	Passed     EventKind = "Passed"     // a stage
	Stopped    EventKind = "Halted"
	Restored   EventKind = "Restored" // a cluster to what it had
	Resumed    EventKind = "Resumed"
	Finished   EventKind = "Complete"
)
