package stage

import (
	"fmt"
	"time"
)

// clusters picks the cluster that the stage waits for: the one most in trouble, then the one whose deadline is next; of
// those that only soak, the last.
func (m *machine) clusters(o *Outcome, p *phase) {
	soaking := p.counts[pending] == 0
	var worst *WaitingFor
	rank := 0
	for _, c := range p.members {
		w, r := m.waits(c)
		if r == 0 {
			continue
		}
		soaking = soaking && r == rankSoak
		switch {
		case worst == nil || r > rank, r == rank && r == rankSoak && w.Deadline.After(worst.Deadline),
			r == rank && r != rankSoak && w.Deadline.Before(worst.Deadline):
			worst, rank = &w, r
		}
	}
	if soaking {
		o.Verdict, o.Reason = Soaking, "Soaking"
	}
	o.WaitingFor = worst
}

// How much a cluster that is waited for deserves to be looked at first.
const (
	rankTurn = 1 + iota
	rankSoak
	rankAsked
	rankAway
	rankFlying
	rankFailed
)

// waits is what a cluster is waited for; rank 0 when it is not.
func (m *machine) waits(c *member) (WaitingFor, int) {
	w := WaitingFor{Cluster: c.Name, Stage: c.stage.Name, Since: c.At, Deadline: c.At.Add(c.stage.deadline)}
	switch s := m.standing(c); {
	case s == pending:
		w.Condition, w.Since, w.Deadline = "to get its turn", m.next.Entered, time.Time{}
		if w.Since.IsZero() {
			w.Since = m.next.Began
		}
		if c.Unread {
			w.Condition = "to be asked what it runs"
		}
		return w, rankTurn
	case s != waiting:
		return w, 0
	case c.Unreachable != "":
		w.Condition, w.Since, w.Deadline = "to be heard from: "+c.Unreachable, c.Away, c.Away.Add(c.stage.deadline)
		return w, rankAway
	case c.healthyNow() && c.Passed.IsZero() && !m.soaked(c):
		w.Condition, w.Since, w.Deadline = "to be healthy for "+short(c.stage.soak), c.Healthy, c.Healthy.Add(c.stage.soak)
		return w, rankSoak
	case c.healthyNow() && c.Passed.IsZero():
		w.Condition = fmt.Sprintf("to say yes to %s", c.unanswered())
		if message := c.Report.Answers[c.unanswered()].Message; message != "" {
			w.Condition += ": " + message
		}
		w.Deadline = w.Deadline.Add(c.stage.soak)
		return w, rankAsked
	}
	w.Condition = "to become healthy"
	if !c.Passed.IsZero() && !c.Unhealthy.IsZero() {
		w.Since, w.Deadline = c.Unhealthy, c.Unhealthy.Add(c.stage.deadline)
	}
	if c.about() && c.Report.Message != "" {
		w.Condition += ": " + c.Report.Message
	}
	if c.about() && c.Report.Health == Failed {
		return w, rankFailed
	}
	return w, rankFlying
}
