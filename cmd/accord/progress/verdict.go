package progress

import (
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/cmd/accord/text"
)

// A result is how waiting for a commit ended, in the word of the JSON output. The empty result is: not yet.
type Result string

const (
	Done        Result = "done"
	Failed      Result = "failed"
	Timeout     Result = "timeout"
	Held        Result = "held"
	Unreachable Result = "unreachable"
	Superseded  Result = "superseded"
)

// ExitCode of a wait that ended so (DESIGN.md section 9; 2 is for errors of usage and of accord itself).
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
	}
	return 2
}

// A goal is what is waited for.
type Goal struct {
	// Applied is enough; otherwise every cluster has to be healthy.
	Applied bool
	// AllowHeld takes clusters that are held on purpose for done.
	AllowHeld bool
	// Grace is how long a cluster must have been unreachable before it is given up on.
	Grace time.Duration
	// Started is since when a cluster counts as unreachable whose Release does not say since when.
	Started time.Time
	// Deadline of the waiting; zero: none.
	Deadline time.Time
}

// A verdict is what a sight means for a goal.
type Verdict struct {
	Result Result
	// Message is one sentence for people.
	Message string
	// Allowed turns the exit code of a result that was allowed into 0.
	Allowed bool
	// CheckAt is when the verdict may change without any news; zero: never.
	CheckAt time.Time
}

// ExitCode of the process that ends with this verdict.
func (v Verdict) ExitCode() int {
	if v.Allowed {
		return 0
	}
	return v.Result.ExitCode()
}

// unfinished says whether it is over and something is missing that was waited for.
func (v Verdict) unfinished() bool { return v.Result != "" && v.ExitCode() != 0 }

// Judge decides whether waiting is over. What is final comes first, in this order:
//
//	done         the goal is reached; a newer commit does not undo that
//	failed       no retry can help; what is only tried again is waited for
//	superseded   nobody will deliver this commit any more
//	held         all that is missing is held on purpose, cluster by cluster, by suspending the federation, or because nobody
//	             approved the plan
//	unreachable  all that is missing are clusters not heard from, each for longer than the grace
//	timeout      the deadline passed before any of these
//
// With both held and unreachable clusters the answer is held, unless that is allowed: neither code says of
// something missing that it is there.
func Judge(s Snapshot, g Goal, now time.Time) Verdict {
	seen := s.Release != ""
	switch {
	case seen && s.Evaluated && (s.Ready || g.Applied && s.Applied):
		return Verdict{Result: Done, Message: s.Counts()}
	case s.Stalled != "":
		return Verdict{Result: Failed, Message: s.Stalled}
	case s.Superseded != "":
		return Verdict{Result: Superseded, Message: "overtaken by " + s.Superseded}
	case s.AwaitingApproval != "":
		return Verdict{Result: Held, Message: s.AwaitingApproval}
	case s.Suspended && !seen:
		return Verdict{Result: Held, Message: "the federation is suspended and has not looked at this commit"}
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

// judgeRemaining judges what is missing when nothing is final: whether all of it is held or unreachable.
func judgeRemaining(s Snapshot, g Goal, now time.Time) Verdict {
	t := s.Summary
	rest := s.RestHealthy
	if g.Applied {
		rest = s.RestApplied
	}
	switch {
	case !s.Evaluated:
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

// judgeUnreachable gives up on unreachable clusters when the grace is over for the last one.
func judgeUnreachable(s Snapshot, g Goal, now time.Time) Verdict {
	since := s.UnreachableSince
	if since.IsZero() {
		since = g.Started
	}
	if over := since.Add(g.Grace); now.Before(over) {
		return Verdict{CheckAt: over}
	}
	silence := duration.HumanDuration(now.Sub(since))
	return Verdict{Result: Unreachable, Message: s.Counts() + ": not heard from for " + silence}
}

// progressLine is one line of how far a commit got.
func progressLine(s Snapshot) string {
	switch {
	case s.Release == "":
		return "not seen by accord yet"
	case !s.Evaluated:
		return "the plan is being put in force"
	}
	return s.Counts()
}
