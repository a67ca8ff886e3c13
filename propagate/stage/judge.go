package stage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// standing is where a cluster is on its way to the wanted version. The first row that fits decides:
//
//	given wanted   tried   passed the stage before   otherwise                        | standing
//	------------   -----   -----------------------   -------------------------------  | -----------
//	yes            no      any                       any                              | good: nothing changes there
//	yes            yes     yes                       any                              | good: it was gated
//	any            any     any                       held by people                   | held
//	yes            yes     no                        not in time, or never will be    | failing
//	yes            yes     no                        passed and healthy               | good
//	any            any     no                        not heard from, nor expected     | unreachable
//	no             any     any                       any                              | pending
//	yes            yes     no                        any other                        | waiting
type standing int

const (
	good standing = iota
	held
	failing
	unreachable
	pending
	waiting
)

// counts of a stage by standing.
type counts [waiting + 1]int

func (m *machine) standing(c *member) standing {
	switch {
	case c.onWanted() && (!c.tried() || c.Gated):
		return good
	case c.Held != "":
		return held
	case c.onWanted() && m.failing(c):
		return failing
	case c.onWanted() && !c.Passed.IsZero() && c.healthyNow():
		return good
	case c.Unreachable != "" && !(c.onWanted() && m.expected(c)):
		return unreachable
	case !c.onWanted():
		return pending
	}
	return waiting
}

// expected says that a cluster that is not heard from may still come back in time.
func (m *machine) expected(c *member) bool {
	end := c.Away.Add(c.stage.deadline)
	m.until(end)
	return c.tried() && m.now.Before(end)
}

// failing says that the cluster was given the wanted version and is not healthy on it in time. Of a cluster that is not heard
// from, or is held, nobody can say so.
func (m *machine) failing(c *member) bool {
	if !c.heard() || c.Held != "" || !c.tried() {
		return false
	}
	if c.hopeless() {
		return true
	}
	if !c.Passed.IsZero() {
		return !c.Unhealthy.IsZero() && m.over(c.Unhealthy.Add(c.stage.deadline))
	}
	inTime := c.At.Add(c.stage.deadline)
	if !c.healthyNow() {
		return m.over(inTime)
	}
	return m.over(inTime.Add(c.stage.soak)) && !m.ready(c)
}

// hopeless says that no waiting can help.
func (c *member) hopeless() bool {
	if !c.about() {
		return false
	}
	for _, q := range Questions(c.stage.Gate) {
		if c.Report.Answers[q].State == Stalled {
			return true
		}
	}
	return c.Report.Health == Stalled
}

// over says that a time has come; otherwise it is looked at again then.
func (m *machine) over(t time.Time) bool {
	m.until(t)
	return !t.After(m.now)
}

// inFlight says that the cluster is changing: it was given something and is neither healthy on it nor given up.
func (m *machine) inFlight(c *member) bool {
	switch {
	case !c.tried() || !c.Passed.IsZero() || c.healthyNow() || c.Held != "":
		return false
	case c.Unreachable != "":
		return m.expected(c)
	case c.onWanted():
		return !m.failing(c)
	}
	return !m.over(c.At.Add(c.stage.deadline))
}

// count puts the clusters of every stage in their standing.
func (m *machine) count(p *phase) {
	p.counts = counts{}
	for _, c := range p.members {
		p.counts[m.standing(c)]++
	}
}

// judge stops a rollout in which more clusters of a stage fail than the budget allows. A rollout that is complete is not
// judged any more.
func (m *machine) judge() {
	if m.next.Failure != nil || !m.next.Completed.IsZero() {
		return
	}
	for _, p := range m.stages {
		var culprits []*member
		for _, c := range p.members {
			if c.onWanted() && !c.At.Before(m.next.Chain) && m.failing(c) {
				culprits = append(culprits, c)
			}
		}
		if budget := m.policy.Spec.FailureBudget.MaxUnhealthy.Of(len(p.members), 0); len(culprits) > budget {
			m.fail(p, culprits, budget)
			return
		}
	}
}

func (m *machine) fail(p *phase, culprits []*member, budget int) {
	f := &Failure{
		At: m.now, Stage: p.Name, Reason: "ProgressDeadlineExceeded", Revision: m.in.Revision, Culprits: map[string]string{},
		RolledBack: m.policy.Spec.OnFailure == policy.Rollback && slices.ContainsFunc(m.members, m.canGoBack),
	}
	for _, c := range culprits {
		f.Culprits[c.Name] = c.Wanted
	}
	f.Message = m.trouble(culprits[0])
	if budget > 0 {
		f.Reason = "FailureBudgetExceeded"
		f.Message = fmt.Sprintf("%s; %d of %d clusters of stage %s fail, and maxUnhealthy is %d (%s)",
			f.Message, len(culprits), len(p.members), p.Name, budget, m.policy.At("spec.failureBudget.maxUnhealthy"))
	} else if len(culprits) > 1 {
		f.Message = fmt.Sprintf("%s, and %d more", f.Message, len(culprits)-1)
	}
	m.stop(f)
}

// trouble is what is wrong with a cluster that fails.
func (m *machine) trouble(c *member) string {
	deadline := m.deadlineOf(c.stage)
	var what string
	switch q := c.unanswered(); {
	case c.hopeless() && c.Report.Health != Stalled, c.healthyNow() && q != "":
		what = fmt.Sprintf("%s does not say yes to %s", c.Name, q)
		if message := c.Report.Answers[q].Message; message != "" {
			what += ": " + message
		}
		return what
	case c.hopeless():
		what = c.Name + " cannot become healthy"
	case c.Passed.IsZero():
		what = fmt.Sprintf("%s is not healthy within %s (%s)", c.Name, short(c.stage.deadline), deadline)
	default:
		what = fmt.Sprintf("%s has not been healthy any more for %s (%s)", c.Name, short(c.stage.deadline), deadline)
	}
	if c.about() && c.Report.Message != "" {
		what += ": " + c.Report.Message
	}
	return what
}

// short is a time span without its zeros: "10m", "1h30m", "90s" is "1m30s".
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
