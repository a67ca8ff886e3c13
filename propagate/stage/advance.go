package stage

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// advance completes the stages that are done, starts the next stage, and updates its clusters.
func (m *machine) advance() {
	reached := slices.IndexFunc(m.stages, func(p *stageState) bool { return p.Name == m.next.Stage })
	if !m.next.CompletedAt.IsZero() {
		reached = len(m.stages)
	}
	for i, p := range m.stages {
		m.current = i
		m.count(p)
		late := i < reached && m.policy.Spec.CatchUpPolicy == policy.Immediate
		switch {
		case !late && m.blocked(i):
			return
		case m.completeStage(p, late):
		case late:
			m.update(p)
		default:
			if !m.paused(i) && i != reached && p.counts[pending] > 0 {
				m.startStage(p)
			}
			if !m.paused(i) {
				m.update(p)
			}
			return
		}
	}
	m.current = len(m.stages)
	if m.next.CompletedAt.IsZero() {
		m.next.CompletedAt = m.now
		if m.next.Stage != "" {
			m.event(RolloutCompleted, "", "", "")
		}
	}
}

// startStage starts a stage. A completed stage starts again when a cluster catches up with its stage.
func (m *machine) startStage(p *stageState) {
	if !m.next.CompletedAt.IsZero() {
		m.next.CompletedAt, m.next.FirstPendingAt = time.Time{}, m.now
	}
	m.next.Stage, m.next.StageStartedAt = p.Name, m.now
	m.event(StageStarted, p.Name, "", "")
}

// completeStage reports whether the stage is complete, and records when. late is set for a stage that completed before and
// whose clusters catch up.
func (m *machine) completeStage(p *stageState, late bool) bool {
	if !m.canComplete(p) {
		return false
	}
	fresh := slices.ContainsFunc(p.members, func(c *member) bool { return c.onWanted() && c.wasUpdated() && !c.StageCompleted })
	if !fresh {
		return true
	}
	if !late && (!m.approved(p) || !m.open(p)) {
		return false
	}
	m.next.StagesCompletedAt[p.Name] = m.now
	for _, c := range p.members {
		c.StageCompleted = c.StageCompleted || c.onWanted()
	}
	if !late {
		m.event(StageCompleted, p.Name, "", "")
	}
	return true
}

// canComplete reports whether each cluster of the stage has passed or is tolerated, and at least one has passed.
func (m *machine) canComplete(p *stageState) bool {
	n := p.counts
	return n[pending] == 0 && n[waiting] == 0 && !m.tooManyUnreachable(p) && (n[good] > 0 || len(p.members) == 0)
}

// blocked reports whether a stage that names clusters has none of them, and a later stage has a cluster to update: nothing
// would be proven before that update.
func (m *machine) blocked(stage int) bool {
	return m.stages[stage].Astray != "" && slices.ContainsFunc(m.stages[stage+1:], func(p *stageState) bool {
		return slices.ContainsFunc(p.members, func(c *member) bool { return !c.onWanted() })
	})
}

// tooManyUnreachable reports whether more clusters of the stage are unreachable than the failure budget allows.
func (m *machine) tooManyUnreachable(p *stageState) bool {
	return p.counts[unreachable] > m.policy.Spec.FailureBudget.MaxUnreachable.Of(len(p.members), 0)
}

// approved reports whether the stage needs no approval, or is approved for this rollout.
func (m *machine) approved(p *stageState) bool {
	return p.Gate.Approval != policy.Manual || slices.ContainsFunc(m.in.Commands, func(o policy.Command) bool {
		return o.Do == policy.CommandApprove && o.Stage == p.Name && o.About(m.next.ID)
	})
}

// open reports whether a window of the gate is open.
func (m *machine) open(p *stageState) bool {
	at, ever := policy.Open(p.Gate.Windows, m.now)
	if !ever {
		return false
	}
	m.requeue(at)
	return !at.After(m.now)
}

// paused reports whether the policy pauses the stage, an earlier stage or the whole rollout.
func (m *machine) paused(stage int) bool {
	_, _, is := m.pause(stage)
	return is
}

// pause returns the reason of the pause that applies to a stage, and the field that sets the pause; is reports whether there
// is one.
func (m *machine) pause(stage int) (reason, field string, is bool) {
	if m.policy.Spec.Paused {
		return m.policy.Spec.PauseReason, "spec.paused", true
	}
	for i := range min(stage+1, len(m.stages)) {
		if s := m.stages[i]; s.Paused {
			return s.PauseReason, stageField(m.policy, s.Name) + ".paused", true
		}
	}
	return "", "", false
}

// update gives the wanted version to clusters of a stage, within maxConcurrency. Clusters that are in flight with a
// superseded version come first, because they are changing anyway.
func (m *machine) update(p *stageState) {
	flying := 0
	var moving, others []*member
	for _, c := range p.members {
		inFlight := m.inFlight(c)
		if inFlight {
			flying++
		}
		switch {
		case m.standing(c) != pending || c.Unobserved:
		case inFlight:
			moving = append(moving, c)
		default:
			others = append(others, c)
		}
	}
	for _, c := range moving {
		m.updateCluster(c)
	}
	for _, c := range others[:min(len(others), max(0, p.limit-flying))] {
		m.updateCluster(c)
	}
	m.count(p)
}

// updateCluster gives the wanted version to one cluster. A rollback returns to the previous version if it was healthy.
func (m *machine) updateCluster(c *member) {
	if c.Current.Digest != "" && !(c.HealthySince.IsZero() && c.GatePassedAt.IsZero()) {
		before := c.Current
		c.LastHealthy = &before
	}
	c.Current, c.UpdatedAt, c.changed = Version{Digest: c.Wanted, Revision: m.in.Revision}, m.now, true
	c.HealthySince, c.UnhealthySince, c.GatePassedAt, c.StageCompleted, c.WasHealthy = time.Time{}, time.Time{}, time.Time{}, false, false
	m.requeue(m.now.Add(c.stage.deadline))
	m.event(ClusterUpdated, c.stage.Name, c.Name, "")
}
