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
	case c.onWanted() && (!c.wasUpdated() || c.StageCompleted):
		return good
	case c.Held != "":
		return held
	case c.onWanted() && m.failing(c):
		return failing
	case c.onWanted() && !c.GatePassedAt.IsZero() && c.healthyNow():
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
	end := c.UnavailableSince.Add(c.stage.deadline)
	m.requeue(end)
	return c.wasUpdated() && m.now.Before(end)
}

// failing says that the cluster was given the wanted version and is not healthy on it in time. Of a cluster that is not heard
// from, or is held, nobody can say so.
func (m *machine) failing(c *member) bool {
	if !c.hasReport() || c.Held != "" || !c.wasUpdated() {
		return false
	}
	if c.stalled() {
		return true
	}
	if !c.GatePassedAt.IsZero() {
		return !c.UnhealthySince.IsZero() && m.expired(c.UnhealthySince.Add(c.stage.deadline))
	}
	inTime := c.UpdatedAt.Add(c.stage.deadline)
	if !c.healthyNow() {
		return m.expired(inTime)
	}
	return m.expired(inTime.Add(c.stage.soakDuration)) && !m.ready(c)
}

// stalled says that no waiting can help.
func (c *member) stalled() bool {
	if !c.reportsCurrent() {
		return false
	}
	for _, q := range Questions(c.stage.Gate) {
		if c.Report.Answers[q].State == Stalled {
			return true
		}
	}
	return c.Report.Health == Stalled
}

// expired says that a time has come; otherwise it is looked at again then.
func (m *machine) expired(t time.Time) bool {
	m.requeue(t)
	return !t.After(m.now)
}

// inFlight says that the cluster is changing: it was given something and is neither healthy on it nor given up.
func (m *machine) inFlight(c *member) bool {
	switch {
	case !c.wasUpdated() || !c.GatePassedAt.IsZero() || c.healthyNow() || c.Held != "":
		return false
	case c.Unreachable != "":
		return m.expected(c)
	case c.onWanted():
		return !m.failing(c)
	}
	return !m.expired(c.UpdatedAt.Add(c.stage.deadline))
}

// count puts the clusters of every stage in their standing.
func (m *machine) count(p *stageState) {
	p.counts = counts{}
	for _, c := range p.members {
		p.counts[m.standing(c)]++
	}
}

// detectFailure stops a rollout in which more clusters of a stage fail than the budget allows. A rollout that is complete is not
// judged any more.
func (m *machine) detectFailure() {
	if m.next.Failure != nil || !m.next.CompletedAt.IsZero() {
		return
	}
	for _, p := range m.stages {
		var culprits []*member
		for _, c := range p.members {
			if c.onWanted() && !c.UpdatedAt.Before(m.next.FirstPendingAt) && m.failing(c) {
				culprits = append(culprits, c)
			}
		}
		if budget := m.policy.Spec.FailureBudget.MaxUnhealthy.Of(len(p.members), 0); len(culprits) > budget {
			m.fail(p, culprits, budget)
			return
		}
	}
}

func (m *machine) fail(p *stageState, culprits []*member, budget int) {
	f := &Failure{
		At: m.now, Stage: p.Name, Reason: "ProgressDeadlineExceeded", Revision: m.in.Revision, FailedClusters: map[string]string{},
		RolledBack: m.policy.Spec.OnFailure == policy.Rollback && slices.ContainsFunc(m.members, m.canGoBack),
	}
	for _, c := range culprits {
		f.FailedClusters[c.Name] = c.Wanted
	}
	f.Message = m.failureMessage(culprits[0])
	if budget > 0 {
		f.Reason = "FailureBudgetExceeded"
		f.Message = fmt.Sprintf("%s; %d of %d clusters of stage %s fail, and maxUnhealthy is %d (%s)",
			f.Message, len(culprits), len(p.members), p.Name, budget, m.policy.At("spec.failureBudget.maxUnhealthy"))
	} else if len(culprits) > 1 {
		f.Message = fmt.Sprintf("%s, and %d more", f.Message, len(culprits)-1)
	}
	m.halt(f)
}

// failureMessage is what is wrong with a cluster that fails.
func (m *machine) failureMessage(c *member) string {
	deadline := m.deadlineOf(c.stage)
	var what string
	switch q := c.openQuestion(); {
	case c.stalled() && c.Report.Health != Stalled, c.healthyNow() && q != "":
		what = fmt.Sprintf("%s does not say yes to %s", c.Name, q)
		if message := c.Report.Answers[q].Message; message != "" {
			what += ": " + message
		}
		return what
	case c.stalled():
		what = c.Name + " cannot become healthy"
	case c.GatePassedAt.IsZero():
		what = fmt.Sprintf("%s is not healthy within %s (%s)", c.Name, short(c.stage.deadline), deadline)
	default:
		what = fmt.Sprintf("%s has not been healthy any more for %s (%s)", c.Name, short(c.stage.deadline), deadline)
	}
	if c.reportsCurrent() && c.Report.Message != "" {
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
