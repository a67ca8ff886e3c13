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
	m.lift()
	m.obey()
	m.judge()
	if m.next.Failure != nil {
		m.restore()
	} else {
		m.advance()
	}
	return m.outcome()
}

// machine is one decision being made.
type machine struct {
	policy  *policy.Rollout
	in      Input
	now     time.Time
	next    State
	members []*member // sorted by name
	stages  []*phase
	events  []Event
	look    time.Time
	// current is the index of the stage that has its turn; len(stages) when all were left.
	current int
}

// phase is a stage with what is counted of it.
type phase struct {
	Stage
	deadline, soak time.Duration
	members        []*member // in the order in which they are given
	limit          int
	counts         counts
}

// member is one cluster of the rollout.
type member struct {
	Cluster
	Memory
	stage   *phase // nil when it is in no stage, or in several
	changed bool   // in this decision
}

// until notes a time at which the clock alone changes something.
func (m *machine) until(t time.Time) {
	if t.After(m.now) && (m.look.IsZero() || t.Before(m.look)) {
		m.look = t
	}
}

func (m *machine) event(kind EventKind, stage, cluster, message string) {
	m.events = append(m.events, Event{Kind: kind, Stage: stage, Cluster: cluster, Message: message})
}

// remembered is the state after the decision.
func (m *machine) remembered() State {
	m.next.Clusters = make(map[string]Memory, len(m.members))
	for _, c := range m.members {
		if gone := c.Wanted == "" && c.Given.Digest == "" && !c.At.IsZero() && c.healthyNow() && !m.next.Completed.IsZero(); !gone {
			m.next.Clusters[c.Name] = c.Memory
		}
	}
	m.next.Passed = maps.Clone(m.next.Passed)
	return m.next
}
