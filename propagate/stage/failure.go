package stage

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// halt stops the rollout until a new commit or a command resumes it.
func (m *machine) halt(f *Failure) {
	m.next.Failure = f
	if f.RolledBack { // a resumed rollout starts with the first stage
		m.next.Stage, m.next.StageStartedAt, m.next.CompletedAt = "", time.Time{}, time.Time{}
	}
	m.event(RolloutHalted, f.Stage, "", f.Message)
}

// handleCommands carries out each command about this rollout once, except approvals, which approved reads.
func (m *machine) handleCommands() {
	for _, o := range m.in.Commands {
		text := o.String()
		if o.Do == policy.CommandApprove || !o.About(m.next.ID) || slices.Contains(m.next.HandledCommands, text) {
			continue
		}
		m.next.HandledCommands = append(m.next.HandledCommands, text)
		short := policy.Command{Do: o.Do, RolloutID: ShortID(o.RolloutID), Stage: o.Stage}.String() // for people
		if o.By != "" {
			short += " by " + o.By
		}
		switch {
		case o.Do == policy.CommandResume:
			m.resume()
		case o.Do == policy.CommandRollback:
			m.halt(&Failure{At: m.now, Stage: m.next.Stage, Reason: "RolledBack", Message: "command: " + short, Revision: m.in.Revision, RolledBack: true})
		case m.next.Failure == nil && m.next.CompletedAt.IsZero():
			m.halt(&Failure{At: m.now, Stage: m.next.Stage, Reason: "Aborted", Message: "command: " + short, Revision: m.in.Revision})
		}
	}
}

// clearFailure clears the failure when Git has another version or another RolloutPolicy. After a rollback the wanted version
// of every failed cluster must have changed; otherwise the failed version would be delivered again.
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

// resume retries: the deadlines of updated clusters that have not passed start again.
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

// rollBack returns clusters to their last healthy version if this rollout updated them, or if a superseded rollout left them
// unhealthy. It rolls back all clusters at once, because that version was healthy there. Held clusters are not changed.
func (m *machine) rollBack() {
	if !m.next.Failure.RolledBack {
		return
	}
	for _, c := range m.members {
		if c.Held == "" && m.canGoBack(c) {
			c.Current, c.UpdatedAt, c.changed = *c.LastHealthy, m.now, true
			c.HealthySince, c.UnhealthySince, c.GatePassedAt, c.StageCompleted, c.WasHealthy = time.Time{}, time.Time{}, time.Time{}, true, false
			m.event(ClusterRolledBack, c.stageName(), c.Name, "")
		}
	}
}

// canGoBack reports whether the cluster got a version that has to be rolled back, and had a healthy version before.
func (m *machine) canGoBack(c *member) bool {
	mine := c.wasUpdated() && !c.UpdatedAt.Before(m.next.FirstPendingAt)
	return mine && c.LastHealthy != nil && c.Current != *c.LastHealthy && (c.onWanted() || c.hasReport() && !c.healthyNow())
}
