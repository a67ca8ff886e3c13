package stage

import (
	"maps"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Decide returns which clusters get the wanted version now. Call it when anything in the Input changes, and at RequeueAt. An
// additional call changes nothing.
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

// machine has the state of one call of Decide.
type machine struct {
	policy    *policy.Rollout
	in        Input
	now       time.Time
	next      State
	members   []*member // sorted by name
	stages    []*stageState
	events    []Event
	requeueAt time.Time
	// current is the index of the current stage; len(stages) when all are complete.
	current int
}

// stageState is a stage with its clusters and their counts.
type stageState struct {
	Stage
	deadline, soakDuration time.Duration
	members                []*member // in the order in which they are updated
	limit                  int
	counts                 counts
}

// member is one cluster of the rollout.
type member struct {
	Cluster
	ClusterState
	stage   *stageState // nil when the cluster is in no stage, or in several
	changed bool        // in this decision
}

// requeue records a time at which the decision can change without a new input.
func (m *machine) requeue(t time.Time) {
	if t.After(m.now) && (m.requeueAt.IsZero() || t.Before(m.requeueAt)) {
		m.requeueAt = t
	}
}

func (m *machine) event(kind EventKind, stage, cluster, message string) {
	m.events = append(m.events, Event{Kind: kind, Stage: stage, Cluster: cluster, Message: message})
}

// newState returns the state after the decision.
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
