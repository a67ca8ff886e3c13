package stage

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// outcome returns the decision.
func (m *machine) outcome() Outcome {
	for _, p := range m.stages {
		m.count(p)
	}
	o := Outcome{ID: m.next.ID, Events: m.events}
	if m.next.Failure == nil && m.current < len(m.stages) {
		o.Stage, o.StageIndex = m.stages[m.current].Name, m.current+1
	} else if f := m.next.Failure; f != nil {
		o.Stage = f.Stage
		o.StageIndex = 1 + slices.IndexFunc(m.stages, func(p *stageState) bool { return p.Name == f.Stage })
	}
	m.phase(&o)
	for _, c := range m.members {
		d := m.decision(c)
		o.Decisions = append(o.Decisions, d)
		if o.Phase == Complete && !m.settled(c) {
			o.OutdatedClusters = append(o.OutdatedClusters, c.Name)
		}
	}
	for i := range m.stages {
		o.Stages = append(o.Stages, m.status(i, &o))
	}
	o.State = m.newState()
	if m.next.Failure == nil {
		o.RequeueAt = m.requeueAt
	}
	return o
}

// settled reports whether the cluster has the wanted version and has not failed on it.
func (m *machine) settled(c *member) bool {
	return c.onWanted() && (!c.wasUpdated() || !c.GatePassedAt.IsZero())
}

func (m *machine) decision(c *member) Decision {
	d := Decision{Cluster: c.Name, Stage: c.stageName(), Changed: c.changed}
	if c.onWanted() {
		return d
	}
	d.Held = m.heldBecause(c)
	if m.isRolledBack(c) {
		given := c.Current
		d.RollbackTo = &given
	} else {
		d.Keeps = c.Held == "" && c.Current.Digest != "" && c.Current.Revision != ""
	}
	return d
}

// heldBecause returns the reason why a cluster does not get the wanted version.
func (m *machine) heldBecause(c *member) string {
	switch {
	case c.Held != "":
		return c.Held
	case c.stage == nil:
		return m.misplaced(c)
	case m.next.Failure != nil && m.next.Failure.RolledBack:
		return fmt.Sprintf("%s was rolled back: %s", m.policy.Title(), m.next.Failure.Message)
	case m.next.Failure != nil:
		return fmt.Sprintf("%s is halted: %s", m.policy.Title(), m.next.Failure.Message)
	}
	own := slices.Index(m.stages, c.stage)
	if reason, field, is := m.pause(own); is {
		return fmt.Sprintf("%s is paused%s (%s)", m.policy.Title(), prefixed(": ", reason), m.policy.At(field))
	}
	switch {
	case c.Unreachable != "":
		return "is updated when it is reachable again: " + c.Unreachable
	case c.Unobserved:
		return "is updated when its running version is known"
	case m.current < own:
		current := m.stages[m.current]
		return fmt.Sprintf("waits for stage %s (%s)", current.Name, m.at(current))
	case m.current > own && m.policy.Spec.CatchUpPolicy == policy.Staged:
		return fmt.Sprintf("waits for its stage %s (%s)", c.stage.Name, m.at(c.stage))
	}
	return fmt.Sprintf("waits in stage %s, maxConcurrency is %d (%s)", c.stage.Name, c.stage.limit,
		m.policy.At(stageField(m.policy, c.stage.Name)+".maxConcurrency"))
}

// misplaced returns the mistake about a cluster that is not in exactly one stage.
func (m *machine) misplaced(c *member) string {
	for _, f := range m.in.Sequence.Faults {
		if f.Cluster == c.Name {
			return fmt.Sprintf("%s: %s (%s)", m.policy.Title(), f.Message, f.At)
		}
	}
	return fmt.Sprintf("%s: cluster %s is in no stage (%s)", m.policy.Title(), c.Name, m.policy.At("spec.stages"))
}

// at returns the position of a stage in its policy.
func (m *machine) at(p *stageState) manifest.Origin { return m.policy.At(stageField(m.policy, p.Name)) }

// deadlineOf returns the position of the deadline of a stage.
func (m *machine) deadlineOf(p *stageState) manifest.Origin {
	if p.ProgressDeadline != "" {
		return m.policy.At(stageField(m.policy, p.Name) + ".progressDeadline")
	}
	return m.policy.At("spec.progressDeadline")
}

// stageField returns the path of a stage in the policy.
func stageField(r *policy.Rollout, name string) string {
	return fmt.Sprintf("spec.stages[%d]", slices.IndexFunc(r.Spec.Stages, func(s policy.RolloutStage) bool { return s.Name == name }))
}

// isRolledBack reports whether the cluster was rolled back because of the current failure.
func (m *machine) isRolledBack(c *member) bool {
	f := m.next.Failure
	return f != nil && f.RolledBack && !c.onWanted() && c.LastHealthy != nil && c.Current == *c.LastHealthy && !c.UpdatedAt.Before(f.At)
}
