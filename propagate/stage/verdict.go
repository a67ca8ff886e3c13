package stage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// verdict says in one word how the rollout is, and what it waits for.
func (m *machine) verdict(o *Outcome) {
	switch f := m.next.Failure; {
	case f != nil && f.RolledBack:
		o.Verdict, o.Reason, o.Message = RolledBack, "RolledBack", m.rolledBack(f)
		o.WaitingFor = &WaitingFor{Stage: f.Stage, Condition: "Git to change what failed, or a person to resume", Since: f.At}
	case f != nil:
		o.Verdict, o.Reason, o.Message = Halted, f.Reason, f.Message
		o.WaitingFor = &WaitingFor{Stage: f.Stage, Condition: "Git to change what failed, or a person to resume", Since: f.At}
	case !m.next.Completed.IsZero():
		m.complete(o)
	default:
		m.underway(o)
	}
	if o.Message == "" {
		o.Message = strings.TrimSpace(o.WaitingFor.Cluster + " has " + o.WaitingFor.Condition)
		if o.WaitingFor.Cluster == "" {
			o.Message = "waits for " + o.WaitingFor.Condition
		}
	}
}

// rolledBack names what runs and what is wanted.
func (m *machine) rolledBack(f *Failure) string {
	var running []string
	for _, c := range m.members {
		if m.restored(c) && c.Given.Revision != "" && !slices.Contains(running, c.Given.Revision) {
			running = append(running, c.Given.Revision)
		}
	}
	slices.Sort(running)
	if len(running) == 0 { // every cluster that could go back is held
		return fmt.Sprintf("%s is wanted and failed: %s", m.in.Revision, f.Message)
	}
	return fmt.Sprintf("%s runs, %s is wanted and failed: %s", strings.Join(running, ", "), m.in.Revision, f.Message)
}

// complete is also asked whether a cluster was left out that is in no stage: that is never complete.
func (m *machine) complete(o *Outcome) {
	for _, c := range m.members {
		if c.stage == nil && !c.onWanted() {
			o.Verdict, o.Reason, o.Message = Halted, "InvalidSpec", m.astray(c)
			o.WaitingFor = &WaitingFor{Cluster: c.Name, Condition: "to be in exactly one stage", Since: m.next.Completed}
			return
		}
	}
	o.Verdict, o.Reason, o.Message = Complete, "Complete", "every stage was left"
}

// underway is about the stage that has its turn.
func (m *machine) underway(o *Outcome) {
	p := m.stages[m.current]
	n := p.counts
	o.Verdict, o.Reason = Rolling, "Progressing"
	reason, field, paused := m.pause(m.current)
	switch {
	case paused && n[waiting] == 0:
		o.Verdict, o.Reason = Paused, "Paused"
		o.Message = fmt.Sprintf("%s is true%s (%s)", field, prefixed(": ", reason), m.policy.At(field))
		o.WaitingFor = &WaitingFor{Stage: p.Name, Condition: "the pause to end" + prefixed(": ", reason), Since: m.next.Began}
	case n[waiting]+n[pending] > 0:
		m.clusters(o, p)
	case m.tooFar(p):
		m.away(o, p)
	case n[good] == 0:
		m.nobody(o, p)
	case !m.approved(p):
		o.Verdict, o.Reason = WaitingForApproval, "WaitingForApproval"
		o.WaitingFor = &WaitingFor{Stage: p.Name, Condition: fmt.Sprintf("a person to approve %s@%s", Short(m.next.Target), p.Name), Since: m.doneSince(p)}
	default:
		at, _ := policy.Open(p.Gate.Windows, m.now)
		o.Verdict, o.Reason = WaitingForWindow, "WaitingForWindow"
		o.WaitingFor = &WaitingFor{Stage: p.Name, Condition: "a window", Since: m.doneSince(p), Deadline: at}
	}
}

// prefixed returns text behind prefix; empty when text is empty.
func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// doneSince is when the last cluster of the stage was done.
func (m *machine) doneSince(p *phase) time.Time {
	at := m.next.Began
	for _, c := range p.members {
		at = later(at, c.Passed)
	}
	return at
}

// away is a stage in which too many clusters are not heard from. It goes on by itself when enough of them are.
func (m *machine) away(o *Outcome, p *phase) {
	w := WaitingFor{Stage: p.Name}
	why := ""
	for _, c := range p.members {
		if m.standing(c) != unreachable {
			continue
		}
		if end := c.Away.Add(p.deadline); w.Cluster == "" || end.After(w.Deadline) {
			w.Cluster, w.Since, w.Deadline, why = c.Name, c.Away, end, c.Unreachable
		}
	}
	w.Condition = "to be heard from: " + why
	o.WaitingFor = &w
	if m.over(w.Deadline) {
		o.Verdict, o.Reason, w.Deadline = Halted, "ClustersUnreachable", time.Time{}
		o.Message = fmt.Sprintf("stage %s: %d of %d clusters are not heard from, %s among them; maxUnreachable is %d (%s)", p.Name, p.counts[unreachable], len(p.members),
			w.Cluster, m.policy.Spec.FailureBudget.MaxUnreachable.Of(len(p.members), 0), m.policy.At("spec.failureBudget.maxUnreachable"))
	}
}

// nobody is a stage of which no cluster could try: all are held, away or failing, and nothing was proven.
func (m *machine) nobody(o *Outcome, p *phase) {
	w := WaitingFor{Stage: p.Name, Since: m.next.Began}
	o.WaitingFor = &w
	for _, c := range p.members {
		if m.standing(c) == held {
			o.Verdict, o.Reason = Paused, "Held"
			w.Cluster, w.Since, w.Condition = c.Name, c.Away, "to be released: "+c.Held
			return
		}
	}
	for _, c := range p.members {
		if m.standing(c) == unreachable {
			w.Cluster, w.Since, w.Condition = c.Name, c.Away, "to be heard from: "+c.Unreachable
			o.Verdict, o.Reason = Halted, "ClustersUnreachable"
			return
		}
	}
	o.Verdict, o.Reason = Halted, "FailureBudgetExceeded"
	w.Condition = fmt.Sprintf("one cluster of stage %s to be healthy", p.Name)
}
