package stage

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// halt ends the rollout until something is done about it.
func (m *machine) halt(f *Failure) {
	m.next.Failure = f
	if f.RolledBack { // if this is tried again, then from the first stage on
		m.next.Stage, m.next.StageStartedAt, m.next.CompletedAt = "", time.Time{}, time.Time{}
	}
	m.event(RolloutHalted, f.Stage, "", f.Message)
}

// handleCommands does what people ordered about this target, once. An approval is not among it: it is asked for when its stage is.
func (m *machine) handleCommands() {
	for _, o := range m.in.Commands {
		text := o.String()
		if o.Do == policy.CommandApprove || !o.About(m.next.ID) || slices.Contains(m.next.HandledCommands, text) {
			continue
		}
		m.next.HandledCommands = append(m.next.HandledCommands, text)
		switch {
		case o.Do == policy.CommandResume:
			m.resume()
		case o.Do == policy.CommandRollback:
			m.halt(&Failure{At: m.now, Stage: m.next.Stage, Reason: "RolledBack", Message: "ordered: " + text, Revision: m.in.Revision, RolledBack: true})
		case m.next.Failure == nil && m.next.CompletedAt.IsZero():
			m.halt(&Failure{At: m.now, Stage: m.next.Stage, Reason: "Aborted", Message: "ordered: " + text, Revision: m.in.Revision})
		}
	}
}

// clearFailure ends a failure when Git says something else than what failed: another version, or another RolloutPolicy. After a
// rollback every cluster that failed has to be wanted something else for, because what failed would be given again.
func (m *machine) clearFailure() {
	f := m.next.Failure
	if f == nil || f.Revision == m.in.Revision {
		return
	}
	policyChanged := m.next.PolicyDigest != m.in.Previous.PolicyDigest
	targetChanged := m.next.ID != m.in.Previous.ID
	again := slices.ContainsFunc(m.members, func(c *member) bool {
		digest, culprit := f.FailedClusters[c.Name]
		return culprit && digest == c.Wanted
	})
	if policyChanged || targetChanged && !(f.RolledBack && again) {
		m.next.Failure = nil
	}
}

// resume tries again: the deadlines of what was given and has not passed begin now.
func (m *machine) resume() {
	if m.next.Failure == nil {
		return
	}
	if m.next.Failure.RolledBack {
		m.next.StartedAt = m.now
	}
	m.next.Failure = nil
	m.event(RolloutResumed, "", "", "")
	for _, c := range m.members {
		if c.onWanted() && c.wasUpdated() && c.GatePassedAt.IsZero() {
			c.UpdatedAt = m.now
		}
		if !c.UnhealthySince.IsZero() {
			c.UnhealthySince = m.now
		}
	}
}

// rollBack gives back what was healthy before, wherever this rollout gave what failed, or one that it overtook left something
// that is not healthy. All at once: it has been healthy there. Who is held keeps what is there as long as it is.
func (m *machine) rollBack() {
	if !m.next.Failure.RolledBack {
		return
	}
	for _, c := range m.members {
		if c.Held == "" && m.canGoBack(c) {
			c.Current, c.UpdatedAt, c.changed = *c.LastHealthy, m.now, true
			c.HealthySince, c.UnhealthySince, c.GatePassedAt, c.StageCompleted = time.Time{}, time.Time{}, time.Time{}, true
			m.event(ClusterRolledBack, c.stageName(), c.Name, "")
		}
	}
}

// canGoBack says that the cluster was given something that is to be taken back, and had something healthy before.
func (m *machine) canGoBack(c *member) bool {
	mine := c.wasUpdated() && !c.UpdatedAt.Before(m.next.FirstPendingAt)
	return mine && c.LastHealthy != nil && c.Current != *c.LastHealthy && (c.onWanted() || c.hasReport() && !c.healthyNow())
}
