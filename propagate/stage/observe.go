package stage

import (
	"time"
)

// observe moves the clocks of a cluster by what it says.
func (m *machine) observe(c *member) {
	if c.Unread {
		return
	}
	m.absence(c)
	switch {
	case c.healthyNow():
		since := m.past(c.Report.Since, m.now)
		if c.Given.Digest == "" {
			since = later(c.Healthy, c.At) // the report is about nothing, and so is its time
		}
		if c.Healthy.IsZero() {
			c.Healthy = later(since, c.At)
			if c.tried() {
				m.event(Became, c.stageName(), c.Name, "")
			}
		} else if !c.Report.Since.IsZero() && since.After(c.Healthy) {
			c.Healthy = since // it was not, meanwhile
		}
		c.Unhealthy = time.Time{}
	case !c.heard():
		c.Healthy = time.Time{}
	default:
		if !c.Healthy.IsZero() && c.tried() {
			m.event(Relapsed, c.stageName(), c.Name, c.Report.Message)
		}
		c.Healthy = time.Time{}
		if c.about() && c.Report.Health != Unknown && c.Unhealthy.IsZero() {
			c.Unhealthy = later(m.past(c.Report.Since, m.now), c.At)
		}
	}
	if c.Passed.IsZero() && (!c.tried() && c.healthyNow() || c.tried() && c.onWanted() && m.ready(c)) {
		c.Passed = m.now
	}
}

// absence notes since when a cluster is held or unreachable. When it returns, its deadline begins again: it could not
// be in time meanwhile.
func (m *machine) absence(c *member) {
	away := c.Held != "" || c.Unreachable != ""
	switch {
	case away && c.Away.IsZero():
		c.Away = m.now
	case !away && !c.Away.IsZero():
		c.Away = time.Time{}
		if c.tried() && c.Passed.IsZero() {
			c.At = m.now
		}
		if !c.Unhealthy.IsZero() {
			c.Unhealthy = m.now
		}
	}
}

// about says that the report is about the version that the cluster was given. About any other it says nothing.
func (c *member) about() bool { return c.heard() && c.Report.Digest == c.Given.Digest }

// healthyNow says that the cluster runs what it was given and is healthy; where nothing is to be, nothing is healthy.
func (c *member) healthyNow() bool {
	return c.about() && (c.Report.Health == Healthy || c.Given.Digest == "")
}

// tried says that the cluster was given something by this rollout, and did not just have it.
func (c *member) tried() bool { return !c.At.IsZero() }

// soaked says that the soak clock is over.
func (m *machine) soaked(c *member) bool {
	end := c.Healthy.Add(c.stage.soak)
	m.until(end)
	return !end.After(m.now)
}

// ready says that all is true that the gate asks of a cluster.
func (m *machine) ready(c *member) bool {
	return c.stage != nil && c.healthyNow() && m.soaked(c) && c.unanswered() == ""
}

// unanswered is the first question of the gate to which the cluster does not say yes; empty when it says yes to all.
func (c *member) unanswered() Question {
	if c.Given.Digest == "" {
		return "" // nobody is there to answer
	}
	for _, q := range Questions(c.stage.Gate) {
		if !c.about() || c.Report.Answers[q].State != Healthy {
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
