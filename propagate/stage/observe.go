package stage

import (
	"time"
)

// observe moves the clocks of a cluster by what it says.
func (m *machine) observe(c *member) {
	if c.Unobserved {
		return
	}
	m.absence(c)
	switch {
	case c.healthyNow():
		since := m.past(c.Report.Since, m.now)
		if c.Current.Digest == "" {
			since = later(c.HealthySince, c.UpdatedAt) // the report is about nothing, and so is its time
		}
		if c.HealthySince.IsZero() {
			c.HealthySince = later(since, c.UpdatedAt)
			if c.wasUpdated() {
				m.event(ClusterHealthy, c.stageName(), c.Name, "")
			}
		} else if !c.Report.Since.IsZero() && since.After(c.HealthySince) {
			c.HealthySince = since // it was not, meanwhile
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

// absence notes since when a cluster is held or unreachable. When it returns, its deadline begins again: it could not
// be in time meanwhile.
func (m *machine) absence(c *member) {
	away := c.Held != "" || c.Unreachable != ""
	switch {
	case away && c.UnavailableSince.IsZero():
		c.UnavailableSince = m.now
	case !away && !c.UnavailableSince.IsZero():
		c.UnavailableSince = time.Time{}
		if c.wasUpdated() && c.GatePassedAt.IsZero() {
			c.UpdatedAt = m.now
		}
		if !c.UnhealthySince.IsZero() {
			c.UnhealthySince = m.now
		}
	}
}

// reportsCurrent says that the report is about the version that the cluster was given. About any other it says nothing.
func (c *member) reportsCurrent() bool { return c.hasReport() && c.Report.Digest == c.Current.Digest }

// healthyNow says that the cluster runs what it was given and is healthy; where nothing is to be, nothing is healthy.
func (c *member) healthyNow() bool {
	return c.reportsCurrent() && (c.Report.Health == Healthy || c.Current.Digest == "")
}

// wasUpdated says that the cluster was given something by this rollout, and did not just have it.
func (c *member) wasUpdated() bool { return !c.UpdatedAt.IsZero() }

// soaked says that the soak clock is over.
func (m *machine) soaked(c *member) bool {
	end := c.HealthySince.Add(c.stage.soakDuration)
	m.requeue(end)
	return !end.After(m.now)
}

// ready says that all is true that the gate asks of a cluster.
func (m *machine) ready(c *member) bool {
	return c.stage != nil && c.healthyNow() && m.soaked(c) && c.openQuestion() == ""
}

// openQuestion is the first question of the gate to which the cluster does not say yes; empty when it says yes to all.
func (c *member) openQuestion() Question {
	if c.Current.Digest == "" {
		return "" // nobody is there to answer
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
