package stage

import (
	"maps"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Decide says who gets the wanted version now. It is to be called whenever something of the Input changes, and at
// LookAgain; calling it more often changes nothing.
func Decide(in Input) Outcome {
	m := newMachine(in)
	m.retarget()
	for _, c := range m.members {
		m.observe(c)
	}
	m.clearFailure()
	m.handleCommands()
	m.detectFailure()
	if m.next.Failure != nil {
		m.rollBack()
	} else {
		m.advance()
	}
	return m.outcome()
}

// machine is one decision being made.
type machine struct {
	policy    *policy.Rollout
	in        Input
	now       time.Time
	next      State
	members   []*member // sorted by name
	stages    []*stageState
	events    []Event
	requeueAt time.Time
	// current is the index of the stage that has its turn; len(stages) when all were left.
	current int
}

// stageState is a stage with what is counted of it.
type stageState struct {
	Stage
	deadline, soakDuration time.Duration
	members                []*member // in the order in which they are given
	limit                  int
	counts                 counts
}

// member is one cluster of the rollout.
type member struct {
	Cluster
	ClusterState
	stage   *stageState // nil when it is in no stage, or in several
	changed bool        // in this decision
}

// requeue notes a time at which the clock alone changes something.
func (m *machine) requeue(t time.Time) {
	if t.After(m.now) && (m.requeueAt.IsZero() || t.Before(m.requeueAt)) {
		m.requeueAt = t
	}
}

func (m *machine) event(kind EventKind, stage, cluster, message string) {
	m.events = append(m.events, Event{Kind: kind, Stage: stage, Cluster: cluster, Message: message})
}

// newState is the state after the decision.
func (m *machine) newState() State {
	m.next.Clusters = make(map[string]ClusterState, len(m.members))
	for _, c := range m.members {
		if gone := c.Wanted == "" && c.Current.Digest == "" && !c.UpdatedAt.IsZero() && c.healthyNow() && !m.next.CompletedAt.IsZero(); !gone {
			m.next.Clusters[c.Name] = c.ClusterState
		}
	}
	m.next.StagesCompletedAt = maps.Clone(m.next.StagesCompletedAt)
	return m.next
}
