package stage

import (
	"fmt"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
)

// standing is the progress of a cluster towards the wanted version. The first row that fits decides:
//
//	has wanted   updated   stage completed   otherwise                          | standing
//	----------   -------   ---------------   ---------------------------------  | -----------
//	yes          no        any               any                                | good: no change there
//	yes          yes       yes               any                                | good: the stage completed with it
//	any          any       any               held by people                     | held
//	yes          yes       no                not in time, or stalled            | failing
//	yes          yes       no                passed and healthy                 | good
//	any          any       no                unreachable beyond its deadline    | unreachable
//	no           any       any               any                                | pending
//	yes          yes       no                any other                          | waiting
type standing int

const (
	good standing = iota
	held
	failing
	unreachable
	pending
	waiting
)

// counts has the number of clusters of a stage by standing.
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

// expected reports whether an unreachable cluster may still return before its deadline.
func (m *machine) expected(c *member) bool {
	end := c.UnavailableSince.Add(c.stage.deadline)
	m.requeue(end)
	return c.wasUpdated() && m.now.Before(end)
}

// failing reports whether the cluster got the wanted version and did not become healthy in time. It is never true for an
// unreachable or held cluster, whose health is unknown.
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

// stalled reports whether the cluster cannot become healthy by waiting.
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

// expired reports whether a time has come. Otherwise it requests a decision at that time.
func (m *machine) expired(t time.Time) bool {
	m.requeue(t)
	return !t.After(m.now)
}

// inFlight reports whether the cluster is changing: it was updated and is neither healthy nor failed.
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

// count counts the clusters of a stage by standing.
func (m *machine) count(p *stageState) {
	p.counts = counts{}
	for _, c := range p.members {
		p.counts[m.standing(c)]++
	}
}

// detectFailure halts a rollout if more clusters of a stage fail than the failure budget allows. A complete rollout cannot
// fail.
func (m *machine) detectFailure() {
	if m.next.Failure != nil || !m.next.CompletedAt.IsZero() {
		return
	}
	for _, p := range m.stages {
		var failed []*member
		for _, c := range p.members {
			if c.onWanted() && !c.UpdatedAt.Before(m.next.FirstPendingAt) && m.failing(c) {
				failed = append(failed, c)
			}
		}
		if budget := m.policy.Spec.FailureBudget.MaxUnhealthy.Of(len(p.members), 0); len(failed) > budget {
			m.fail(p, failed, budget)
			return
		}
	}
}

func (m *machine) fail(p *stageState, failed []*member, budget int) {
	f := &Failure{
		At: m.now, Stage: p.Name, Reason: "ProgressDeadlineExceeded", Revision: m.in.Revision, FailedClusters: map[string]string{},
		RolledBack: m.policy.Spec.OnFailure == policy.Rollback && slices.ContainsFunc(m.members, m.canGoBack),
	}
	for _, c := range failed {
		f.FailedClusters[c.Name] = c.Wanted
	}
	f.Message = m.failureMessage(failed[0])
	if budget > 0 {
		f.Reason = "FailureBudgetExceeded"
		f.Message = fmt.Sprintf("%s; %d of %d clusters of stage %s fail, maxUnhealthy is %d (%s)",
			f.Message, len(failed), len(p.members), p.Name, budget, m.policy.At("spec.failureBudget.maxUnhealthy"))
	} else if len(failed) > 1 {
		f.Message = fmt.Sprintf("%s, and %d more", f.Message, len(failed)-1)
	}
	m.halt(f)
}

// failureMessage returns the reason why a cluster fails.
func (m *machine) failureMessage(c *member) string {
	deadline := m.deadlineOf(c.stage)
	var message string
	switch q := c.openQuestion(); {
	case c.stalled() && c.Report.Health != Stalled, c.healthyNow() && q != "":
		message = fmt.Sprintf("%s does not pass %s", c.Name, q)
		if answer := c.Report.Answers[q].Message; answer != "" {
			message += ": " + answer
		}
		return message
	case c.stalled():
		message = c.Name + " cannot become healthy"
	case c.GatePassedAt.IsZero():
		message = fmt.Sprintf("%s is not healthy within %s (%s)", c.Name, phrase.Duration(c.stage.deadline), deadline)
	default:
		message = fmt.Sprintf("%s has been unhealthy for %s (%s)", c.Name, phrase.Duration(c.stage.deadline), deadline)
	}
	if c.reportsCurrent() && c.Report.Message != "" {
		message += ": " + c.Report.Message
	}
	return message
}
