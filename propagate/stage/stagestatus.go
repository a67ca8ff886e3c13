package stage

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/internal/phrase"
)

// status counts the clusters of one stage.
func (m *machine) status(i int, o *Outcome) Status {
	p := m.stages[i]
	f := Status{Name: p.Name, Clusters: len(p.members)}
	for _, c := range p.members {
		switch {
		case m.settled(c):
		case c.Held != "":
			f.Held++
		case c.Unreachable != "":
			f.Unreachable++
		}
		if !c.onWanted() {
			continue
		}
		f.Updated++
		if c.healthyNow() {
			f.Healthy++
		}
		if m.failing(c) {
			f.Failing++
		}
	}
	if passed := m.next.StagesCompletedAt[p.Name]; !passed.Before(m.next.StartedAt) {
		f.CompletedAt = passed
	}
	if m.next.Stage == p.Name {
		f.StartedAt = m.next.StageStartedAt
	}
	f.Message = m.message(i, f, o)
	return f
}

// message returns one line about a stage.
func (m *machine) message(i int, f Status, o *Outcome) string {
	p := m.stages[i]
	if m.next.Failure != nil {
		if p.Name == m.next.Failure.Stage {
			return o.Message
		}
		switch back := m.rolledBackClusters(p); {
		case back > 0:
			return fmt.Sprintf("%d of %d rolled back", back, f.Clusters)
		case f.Updated == 0 && f.Clusters > 0:
			return "not updated"
		}
		return ""
	}
	switch {
	case f.Clusters == 0 && p.Astray != "":
		return "none of its clusters: " + p.Astray
	case f.Clusters == 0:
		return "no clusters"
	case i > m.current && f.Updated < f.Clusters:
		return "waits for " + m.stages[m.current].Name
	case i == m.current && o.Phase != Complete:
		var parts []string
		if left := p.counts[pending]; left > 0 {
			parts = append(parts, fmt.Sprintf("%d pending", left))
		}
		return strings.Join(append(parts, o.Message), "; ")
	case !f.CompletedAt.IsZero() && p.soakDuration > 0:
		return fmt.Sprintf("completed %s, soaked %s", f.CompletedAt.Format("15:04:05"), phrase.Duration(p.soakDuration))
	case !f.CompletedAt.IsZero():
		return "completed " + f.CompletedAt.Format("15:04:05")
	case f.Updated < f.Clusters:
		return fmt.Sprintf("%d outdated", f.Clusters-f.Updated)
	}
	return "no change"
}

// rolledBackClusters returns how many clusters of a stage were rolled back.
func (m *machine) rolledBackClusters(p *stageState) int {
	n := 0
	for _, c := range p.members {
		if m.isRolledBack(c) {
			n++
		}
	}
	return n
}
