package progress

import (
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// Result is the end of a wait, as in the JSON output. It is empty while the wait goes on.
type Result string

const (
	Done        Result = "done"
	Failed      Result = "failed"
	Timeout     Result = "timeout"
	Held        Result = "held"
	Unreachable Result = "unreachable"
	Superseded  Result = "superseded"
	Refused     Result = "refused"
)

// ExitCode returns the exit code of the result; 2 is for errors of usage and of accord itself.
func (r Result) ExitCode() int {
	switch r {
	case Done:
		return 0
	case Failed:
		return 1
	case Timeout:
		return 3
	case Held:
		return 4
	case Unreachable:
		return 5
	case Superseded:
		return 6
	case Refused:
		return 7
	}
	return 2
}

// Goal is the condition that ends a wait.
type Goal struct {
	// Applied: it is enough that every cluster has the commit; otherwise every cluster has to be healthy.
	Applied bool
	// AllowApproval continues while a person has to approve.
	AllowApproval bool
	// AllowHeld counts held clusters as done.
	AllowHeld bool
	// Grace is the time that a cluster has to be unreachable before the wait ends.
	Grace time.Duration
	// Started is the start of the unreachable time for clusters whose Release does not have it.
	Started time.Time
	// Deadline ends the wait; zero means never.
	Deadline time.Time
}

// Verdict is the evaluation of a snapshot for a goal.
type Verdict struct {
	Result Result
	// Message is one sentence for people.
	Message string
	// Allowed makes the exit code 0.
	Allowed bool
	// CheckAt is the time at which the verdict may change without a change on the hub; zero means never.
	CheckAt time.Time
}

// ExitCode returns the exit code of a process that ends with this verdict.
func (v Verdict) ExitCode() int {
	if v.Allowed {
		return 0
	}
	return v.Result.ExitCode()
}

// unfinished reports whether the wait ended before the goal was reached.
func (v Verdict) unfinished() bool { return v.Result != "" && v.ExitCode() != 0 }

// Judge decides whether the wait is over. The results have this order:
//
//	done         the goal is reached, even if a newer commit exists
//	failed       no retry can help
//	superseded   a newer commit replaced this one
//	refused      accord does not start the commit: no allowed signer signed it, or the Federation may start none
//	held         all missing clusters are held, the federation is suspended, or the plan awaits approval
//	unreachable  all missing clusters are unreachable, each for longer than the grace period
//	timeout      the deadline passed before any of these
//
// With both held and unreachable clusters the result is held, unless that is allowed: neither exit code claims that missing
// clusters are done.
func Judge(s Snapshot, g Goal, now time.Time) Verdict {
	seen := s.Release != ""
	switch {
	case seen && s.Evaluated && (s.Ready || g.Applied && s.Applied):
		return Verdict{Result: Done, Message: s.Counts()}
	case s.Stalled != "":
		return Verdict{Result: Failed, Message: s.Stalled}
	case s.Superseded != "":
		return Verdict{Result: Superseded, Message: "superseded by " + s.Superseded}
	case s.PassedBy != "":
		return Verdict{Result: Superseded, Message: "superseded by " + s.PassedBy + ", which contains this commit: accord read both at once"}
	case s.Refused.Message != "":
		return Verdict{Result: Refused, Message: s.Refused.Message}
	case s.AwaitingApproval != "" && !g.AllowApproval:
		return Verdict{Result: Held, Message: s.AwaitingApproval}
	case s.Suspended && !seen:
		return Verdict{Result: Held, Message: "the federation is suspended and has not fetched this commit"}
	}
	v := judgeRemaining(s, g, now)
	if v.Result != "" || g.Deadline.IsZero() {
		return v
	}
	if !now.Before(g.Deadline) {
		return Verdict{Result: Timeout, Message: text.Join("  ", progressLine(s), s.Note)}
	}
	if v.CheckAt.IsZero() || g.Deadline.Before(v.CheckAt) {
		v.CheckAt = g.Deadline
	}
	return v
}

// judgeRemaining decides whether all missing clusters are held or unreachable.
func judgeRemaining(s Snapshot, g Goal, now time.Time) Verdict {
	t := s.Summary
	rest := s.RestHealthy
	if g.Applied {
		rest = s.RestApplied
	}
	switch {
	case !s.Evaluated, g.AllowApproval && (s.AwaitingApproval != "" || s.Approve != ""):
		return Verdict{}
	case rest && t.Held > 0 && !(g.AllowHeld && t.Unreachable > 0):
		return Verdict{Result: Held, Allowed: g.AllowHeld, Message: s.Counts()}
	case rest && t.Unreachable > 0:
		return judgeUnreachable(s, g, now)
	case s.Suspended:
		return Verdict{Result: Held, Message: "the federation is suspended: " + s.Counts()}
	}
	return Verdict{}
}

// judgeUnreachable ends the wait when the grace period of the last unreachable cluster is over.
func judgeUnreachable(s Snapshot, g Goal, now time.Time) Verdict {
	since := s.UnreachableSince
	if since.IsZero() {
		since = g.Started
	}
	if over := since.Add(g.Grace); now.Before(over) {
		return Verdict{CheckAt: over}
	}
	silence := duration.HumanDuration(now.Sub(since))
	return Verdict{Result: Unreachable, Message: s.Counts() + ": unreachable for " + silence}
}

// progressLine returns the progress of a commit in one line.
func progressLine(s Snapshot) string {
	switch {
	case s.Release == "":
		return "not seen by accord yet"
	case !s.Evaluated:
		return "the plan is being activated"
	}
	return s.Counts()
}
