package stage

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// stop ends the rollout until something is done about it.
func (m *machine) stop(f *Failure) {
	m.next.Failure = f
	if f.RolledBack { // if this is tried again, then from the first stage on
		m.next.Stage, m.next.Entered, m.next.Completed = "", time.Time{}, time.Time{}
	}
	m.event(Stopped, f.Stage, "", f.Message)
}

// obey does what people ordered about this target, once. An approval is not among it: it is asked for when its stage is.
func (m *machine) obey() {
	for _, o := range m.in.Orders {
		text := o.String()
		if o.Do == policy.CommandApprove || !o.About(m.next.Target) || slices.Contains(m.next.Obeyed, text) {
			continue
		}
		m.next.Obeyed = append(m.next.Obeyed, text)
		switch {
		case o.Do == policy.CommandResume:
			m.resume()
		case o.Do == policy.CommandRollback:
			m.stop(&Failure{At: m.now, Stage: m.next.Stage, Reason: "RolledBack", Message: "ordered: " + text, Revision: m.in.Revision, RolledBack: true})
		case m.next.Failure == nil && m.next.Completed.IsZero():
			m.stop(&Failure{At: m.now, Stage: m.next.Stage, Reason: "Aborted", Message: "ordered: " + text, Revision: m.in.Revision})
		}
	}
}

// lift ends a failure when Git says something else than what failed: another version, or another RolloutPolicy. After a
// rollback every cluster that failed has to be wanted something else for, because what failed would be given again.
func (m *machine) lift() {
	f := m.next.Failure
	if f == nil || f.Revision == m.in.Revision {
		return
	}
	policyChanged := m.next.Policy != m.in.Before.Policy
	targetChanged := m.next.Target != m.in.Before.Target
	again := slices.ContainsFunc(m.members, func(c *member) bool {
		digest, culprit := f.Culprits[c.Name]
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
		m.next.Began = m.now
	}
	m.next.Failure = nil
	m.event(Resumed, "", "", "")
	for _, c := range m.members {
		if c.onWanted() && c.tried() && c.Passed.IsZero() {
			c.At = m.now
		}
		if !c.Unhealthy.IsZero() {
			c.Unhealthy = m.now
		}
	}
}

// restore gives back what was healthy before, wherever this rollout gave what failed, or one that it overtook left something
// that is not healthy. All at once: it has been healthy there. Who is held keeps what is there as long as it is.
func (m *machine) restore() {
	if !m.next.Failure.RolledBack {
		return
	}
	for _, c := range m.members {
		if c.Held == "" && m.canGoBack(c) {
			c.Given, c.At, c.changed = *c.Good, m.now, true
			c.Healthy, c.Unhealthy, c.Passed, c.Gated = time.Time{}, time.Time{}, time.Time{}, true
			m.event(Restored, c.stageName(), c.Name, "")
		}
	}
}

// canGoBack says that the cluster was given something that is to be taken back, and had something healthy before.
func (m *machine) canGoBack(c *member) bool {
	mine := c.tried() && !c.At.Before(m.next.Chain)
	return mine && c.Good != nil && c.Given != *c.Good && (c.onWanted() || c.heard() && !c.healthyNow())
}
