package stage

import (
	"time"
)

// observe updates the state of a cluster from its report.
func (m *machine) observe(c *member) {
	if c.Unobserved {
		return
	}
	m.absence(c)
	c.WasHealthy = !c.hasReport() && (c.WasHealthy || !c.HealthySince.IsZero())
	switch {
	case c.healthyNow():
		since := m.past(c.Report.Since, m.now)
		if c.Current.Digest == "" {
			since = later(c.HealthySince, c.UpdatedAt) // there is no object, so the time of the report means nothing
		}
		if c.HealthySince.IsZero() {
			c.HealthySince = later(since, c.UpdatedAt)
			if c.wasUpdated() {
				m.event(ClusterHealthy, c.stageName(), c.Name, "")
			}
		} else if !c.Report.Since.IsZero() && since.After(c.HealthySince) {
			c.HealthySince = since // it was unhealthy in between
		}
		c.UnhealthySince = time.Time{}
	case !c.hasReport():
		c.HealthySince = time.Time{}
	default:
		if !c.HealthySince.IsZero() && c.wasUpdated() {
			m.event(ClusterDegraded, c.stageName(), c.Name, c.Report.Message)
		}
		c.HealthySince = time.Time{}
		if c.reportsCurrent() && c.Report.Health != Unknown && c.UnhealthySince.IsZero() {
			c.UnhealthySince = later(m.past(c.Report.Since, m.now), c.UpdatedAt)
		}
	}
	if c.GatePassedAt.IsZero() && (!c.wasUpdated() && c.healthyNow() || c.wasUpdated() && c.onWanted() && m.ready(c)) {
		c.GatePassedAt = m.now
	}
}

// absence records when a cluster became held or unreachable. Its deadline starts again when it returns, because it could not
// make progress in between.
func (m *machine) absence(c *member) {
	unavailable := c.Held != "" || c.Unreachable != ""
	switch {
	case unavailable && c.UnavailableSince.IsZero():
		c.UnavailableSince = m.now
	case !unavailable && !c.UnavailableSince.IsZero():
		c.UnavailableSince = time.Time{}
		if c.wasUpdated() && c.GatePassedAt.IsZero() {
			c.UpdatedAt = m.now
		}
		if !c.UnhealthySince.IsZero() {
			c.UnhealthySince = m.now
		}
	}
}

// reportsCurrent reports whether the report is about the current version of the cluster. Other reports are ignored.
func (c *member) reportsCurrent() bool { return c.hasReport() && c.Report.Digest == c.Current.Digest }

// healthyNow reports whether the cluster runs its current version and is healthy. A cluster from which everything is removed
// counts as healthy.
func (c *member) healthyNow() bool {
	return c.reportsCurrent() && (c.Report.Health == Healthy || c.Current.Digest == "")
}

// wasUpdated reports whether a rollout updated the cluster, so that its version was not there before.
func (c *member) wasUpdated() bool { return !c.UpdatedAt.IsZero() }

// soaked reports whether the soak time is over.
func (m *machine) soaked(c *member) bool {
	end := c.HealthySince.Add(c.stage.soakDuration)
	m.requeue(end)
	return !end.After(m.now)
}

// ready reports whether the cluster meets every requirement of the gate.
func (m *machine) ready(c *member) bool {
	return c.stage != nil && c.healthyNow() && m.soaked(c) && c.openQuestion() == ""
}

// openQuestion returns the first question of the gate that the cluster does not answer with yes; empty when there is none.
func (c *member) openQuestion() Question {
	if c.Current.Digest == "" {
		return "" // there is no object that could answer
	}
	for _, q := range Questions(c.stage.Gate) {
		if !c.reportsCurrent() || c.Report.Answers[q].State != Healthy {
			return q
		}
	}
	return ""
}

func (c *member) stageName() string {
	if c.stage == nil {
		return ""
	}
	return c.stage.Name
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
