package stage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
)

// phase sets the phase of the rollout and the event that it waits for.
func (m *machine) phase(o *Outcome) {
	switch f := m.next.Failure; {
	case f != nil && f.RolledBack:
		o.Phase, o.Reason, o.Message = RolledBack, "RolledBack", m.rolledBack(f)
		o.WaitingFor = &WaitingFor{Stage: f.Stage, Message: "a new commit or 'accord resume'", Since: f.At}
	case f != nil:
		o.Phase, o.Reason, o.Message = Halted, f.Reason, f.Message
		o.WaitingFor = &WaitingFor{Stage: f.Stage, Message: "a new commit or 'accord resume'", Since: f.At}
	case !m.next.CompletedAt.IsZero():
		m.complete(o)
	default:
		m.underway(o)
	}
	if o.Message == "" {
		o.Message = strings.TrimSpace(o.WaitingFor.Cluster + " has " + o.WaitingFor.Message)
		if o.WaitingFor.Cluster == "" {
			o.Message = "waits for " + o.WaitingFor.Message
		}
	}
}

// rolledBack returns a message with the commits that run and the commit that does not, and the reason: a failure or a command.
func (m *machine) rolledBack(f *Failure) string {
	var running []string
	for _, c := range m.members {
		if commit := phrase.Revision(c.Current.Revision); m.isRolledBack(c) && commit != "" && !slices.Contains(running, commit) {
			running = append(running, commit)
		}
	}
	slices.Sort(running)
	if len(running) == 0 {
		return fmt.Sprintf("every cluster that could go back from %s is held: %s", phrase.Revision(m.in.Revision), f.Message)
	}
	return fmt.Sprintf("rolled back to %s from %s: %s", strings.Join(running, " and "), phrase.Revision(m.in.Revision), f.Message)
}

// complete sets the phase after the last stage. A rollout with an outdated cluster in no stage is never complete.
func (m *machine) complete(o *Outcome) {
	for _, c := range m.members {
		if c.stage == nil && !c.onWanted() {
			o.Phase, o.Reason, o.Message = Halted, "InvalidSpec", m.misplaced(c)
			o.WaitingFor = &WaitingFor{Cluster: c.Name, Message: "to be in exactly one stage", Since: m.next.CompletedAt}
			return
		}
	}
	o.Phase, o.Reason, o.Message = Complete, "Complete", "all stages are complete"
}

// underway sets the phase while a stage is in progress.
func (m *machine) underway(o *Outcome) {
	p := m.stages[m.current]
	n := p.counts
	o.Phase, o.Reason = Rolling, "Progressing"
	reason, field, paused := m.pause(m.current)
	switch {
	case paused && n[waiting] == 0:
		o.Phase, o.Reason = Paused, "Paused"
		o.Message = fmt.Sprintf("%s is true%s (%s)", field, prefixed(": ", reason), m.policy.At(field))
		o.WaitingFor = &WaitingFor{Stage: p.Name, Message: "the pause to end" + prefixed(": ", reason), Since: m.next.StartedAt}
	case m.blocked(m.current):
		o.Phase, o.Reason = Paused, "InvalidSpec"
		o.Message = fmt.Sprintf("stage %s has none of its clusters: %s", p.Name, p.Astray)
		o.WaitingFor = &WaitingFor{Stage: p.Name, Message: "a cluster that gets the rollout: " + p.Astray, Since: m.next.StartedAt}
	case n[waiting]+n[pending] > 0:
		m.waitingCluster(o, p)
	case m.tooManyUnreachable(p):
		m.unreachableStage(o, p)
	case n[good] == 0:
		m.noClusterHealthy(o, p)
	case !m.approved(p):
		o.Phase, o.Reason = WaitingForApproval, "WaitingForApproval"
		o.WaitingFor = &WaitingFor{Stage: p.Name, Message: fmt.Sprintf("approval of %s@%s", ShortID(m.next.ID), p.Name), Since: m.doneSince(p)}
	default:
		at, _ := policy.Open(p.Gate.Windows, m.now)
		o.Phase, o.Reason = WaitingForWindow, "WaitingForWindow"
		o.WaitingFor = &WaitingFor{Stage: p.Name, Message: "an open window", Since: m.doneSince(p), Deadline: at}
	}
}

// prefixed returns text behind prefix; empty when text is empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// doneSince returns the time at which the last cluster of the stage passed.
func (m *machine) doneSince(p *stageState) time.Time {
	at := m.next.StartedAt
	for _, c := range p.members {
		at = later(at, c.GatePassedAt)
	}
	return at
}

// unreachableStage sets the phase when too many clusters of a stage are unreachable. The stage continues when enough of them
// return.
func (m *machine) unreachableStage(o *Outcome, p *stageState) {
	w := WaitingFor{Stage: p.Name}
	why := ""
	for _, c := range p.members {
		if m.standing(c) != unreachable {
			continue
		}
		if end := c.UnavailableSince.Add(p.deadline); w.Cluster == "" || end.After(w.Deadline) {
			w.Cluster, w.Since, w.Deadline, why = c.Name, c.UnavailableSince, end, c.Unreachable
		}
	}
	w.Message = "to be reachable: " + why
	o.WaitingFor = &w
	if m.expired(w.Deadline) {
		o.Phase, o.Reason, w.Deadline = Halted, "ClustersUnreachable", time.Time{}
		o.Message = fmt.Sprintf("stage %s: %d of %d clusters are unreachable, %s among them; maxUnreachable is %d (%s)", p.Name, p.counts[unreachable], len(p.members),
			w.Cluster, m.policy.Spec.FailureBudget.MaxUnreachable.Of(len(p.members), 0), m.policy.At("spec.failureBudget.maxUnreachable"))
	}
}

// noClusterHealthy sets the phase when no cluster of a stage could prove the version: all are held, unreachable or failing.
func (m *machine) noClusterHealthy(o *Outcome, p *stageState) {
	w := WaitingFor{Stage: p.Name, Since: m.next.StartedAt}
	o.WaitingFor = &w
	for _, c := range p.members {
		if m.standing(c) == held {
			o.Phase, o.Reason = Paused, "Held"
			w.Cluster, w.Since, w.Message = c.Name, c.UnavailableSince, "its hold to end: "+c.Held
			return
		}
	}
	for _, c := range p.members {
		if m.standing(c) == unreachable {
			w.Cluster, w.Since, w.Message = c.Name, c.UnavailableSince, "to be reachable: "+c.Unreachable
			o.Phase, o.Reason = Halted, "ClustersUnreachable"
			return
		}
	}
	o.Phase, o.Reason = Halted, "FailureBudgetExceeded"
	w.Message = fmt.Sprintf("one cluster of stage %s to be healthy", p.Name)
}
