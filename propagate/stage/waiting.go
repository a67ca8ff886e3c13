package stage

import (
	"fmt"
	"time"

	"github.com/accord-dev/accord/internal/phrase"
)

// waitingCluster selects the cluster that the stage waits for: the cluster in the worst state, then the one with the earliest
// deadline; if all only soak, the one that ends last.
func (m *machine) waitingCluster(o *Outcome, p *stageState) {
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
		o.Phase, o.Reason = Soaking, "Soaking"
	}
	o.WaitingFor = worst
}

// Ranks of the clusters that a stage waits for; the highest is reported.
const (
	rankPending = 1 + iota
	rankSoak
	rankGate
	rankUnreachable
	rankInFlight
	rankFailed
)

// waits returns the event that a cluster is waited for; the rank is 0 when there is none.
func (m *machine) waits(c *member) (WaitingFor, int) {
	w := WaitingFor{Cluster: c.Name, Stage: c.stage.Name, Since: c.UpdatedAt, Deadline: c.UpdatedAt.Add(c.stage.deadline)}
	switch s := m.standing(c); {
	case s == pending:
		w.Message, w.Since, w.Deadline = "to be updated", m.next.StageStartedAt, time.Time{}
		if w.Since.IsZero() {
			w.Since = m.next.StartedAt
		}
		if c.Unobserved {
			w.Message = "to report its running version"
		}
		return w, rankPending
	case s != waiting:
		return w, 0
	case c.Unreachable != "":
		w.Message, w.Since, w.Deadline = "to be reachable: "+c.Unreachable, c.UnavailableSince, c.UnavailableSince.Add(c.stage.deadline)
		return w, rankUnreachable
	case c.healthyNow() && c.GatePassedAt.IsZero() && !m.soaked(c):
		w.Message, w.Since, w.Deadline = "to be healthy for "+phrase.Duration(c.stage.soakDuration), c.HealthySince, c.HealthySince.Add(c.stage.soakDuration)
		return w, rankSoak
	case c.healthyNow() && c.GatePassedAt.IsZero():
		w.Message = fmt.Sprintf("to pass %s", c.openQuestion())
		if message := c.Report.Answers[c.openQuestion()].Message; message != "" {
			w.Message += ": " + message
		}
		w.Deadline = w.Deadline.Add(c.stage.soakDuration)
		return w, rankGate
	}
	w.Message = "to become healthy"
	if !c.GatePassedAt.IsZero() && !c.UnhealthySince.IsZero() {
		w.Since, w.Deadline = c.UnhealthySince, c.UnhealthySince.Add(c.stage.deadline)
	}
	if c.reportsCurrent() && c.Report.Message != "" {
		w.Message += ": " + c.Report.Message
	}
	if c.reportsCurrent() && c.Report.Health == Failed {
		return w, rankFailed
	}
	return w, rankInFlight
}
