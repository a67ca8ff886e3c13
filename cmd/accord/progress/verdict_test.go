package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestJudge is the table of snapshots, goals and results.
// TestDefectF21ApprovalHasACommand: a wait that ends at an approval names the command, and goes on if that is allowed.
func TestDefectF21ApprovalHasACommand(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	rel := &v1alpha1.Release{Spec: v1alpha1.ReleaseSpec{Revision: "main@sha1:4f2c9e1"}}
	rel.Status.Rollouts = []v1alpha1.RolloutStatus{{Policy: "standard", ID: "1f0c9e21aa04", Stage: "canary", Phase: "WaitingForApproval"}}
	command := ReleaseSnapshot(&v1alpha1.Federation{}, rel).Approve
	require.Equal(t, "accord approve standard --stage canary --rollout-id 1f0c9e21aa04", command)

	s := of3(Snapshot{RestHealthy: true, Approve: command}, 1, 1, 2, 0)
	require.Equal(t, Held, Judge(s, Goal{}, now).Result)
	require.Equal(t, command, nextStep(&v1alpha1.Federation{}, s, Held))
	require.Empty(t, Judge(s, Goal{AllowApproval: true}, now).Result)
	require.Empty(t, Judge(of3(Snapshot{AwaitingApproval: "it is not"}, 1, 1, 0, 0), Goal{AllowApproval: true}, now).Result)
}

func TestJudge(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	healthy := Goal{Grace: time.Minute, Started: now, Deadline: now.Add(time.Hour)}
	applied, allowHeld, late := healthy, healthy, healthy
	applied.Applied, allowHeld.AllowHeld, late.Deadline = true, true, now
	lostFor := func(d time.Duration) time.Time { return now.Add(-d) }

	for _, c := range []struct {
		state string
		sight Snapshot
		goal  Goal
		want  Result
		code  int
		again time.Time // zero: the deadline
	}{
		{"no release yet", Snapshot{}, healthy, "", 2, time.Time{}},
		{"no release until the deadline", Snapshot{}, late, Timeout, 3, time.Time{}},
		{"no release, and nobody looks for one", Snapshot{Suspended: true}, healthy, Held, 4, time.Time{}},
		{"no release, and nobody looks for one, held clusters allowed", Snapshot{Suspended: true}, allowHeld, Held, 4, time.Time{}},

		{"all healthy", of3(Snapshot{Ready: true}, 3, 3, 0, 0), healthy, Done, 0, time.Time{}},
		{"all healthy at the deadline", of3(Snapshot{Ready: true}, 3, 3, 0, 0), late, Done, 0, time.Time{}},
		{"all healthy, then overtaken", of3(Snapshot{Ready: true, Superseded: "prod-2"}, 3, 3, 0, 0), healthy, Done, 0, time.Time{}},
		{"all healthy under an older plan", stale(of3(Snapshot{Ready: true, Applied: true}, 3, 3, 0, 0)), applied, "", 2, time.Time{}},
		{"on its way", of3(Snapshot{}, 2, 1, 0, 0), healthy, "", 2, time.Time{}},
		{"on its way at the deadline", of3(Snapshot{}, 2, 1, 0, 0), late, Timeout, 3, time.Time{}},
		{"applied, not healthy", of3(Snapshot{Applied: true, RestApplied: true}, 3, 1, 0, 0), healthy, "", 2, time.Time{}},
		{"applied, and that is enough", of3(Snapshot{Applied: true, RestApplied: true}, 3, 1, 0, 0), applied, Done, 0, time.Time{}},

		{"a mistake in the commit", of3(Snapshot{Stalled: "web.yaml:3: what?"}, 0, 0, 0, 0), healthy, Failed, 1, time.Time{}},
		{"a mistake in the commit, then overtaken", of3(Snapshot{Stalled: "web.yaml:3: what?", Superseded: "prod-2"}, 0, 0, 0, 0), healthy, Failed, 1, time.Time{}},
		{"overtaken on its way", of3(Snapshot{Superseded: "prod-2"}, 2, 2, 0, 0), healthy, Superseded, 6, time.Time{}},
		{"refused", Snapshot{Unstarted: Unstarted{Refused: Refusal{Message: "it is not signed"}}}, healthy, Refused, 7, time.Time{}},
		{"overtaken while held", of3(Snapshot{Superseded: "prod-2", RestHealthy: true}, 2, 2, 1, 0), healthy, Superseded, 6, time.Time{}},

		{"the rest is held", of3(Snapshot{RestHealthy: true}, 2, 2, 1, 0), healthy, Held, 4, time.Time{}},
		{"the rest is held, which is allowed", of3(Snapshot{RestHealthy: true}, 2, 2, 1, 0), allowHeld, Held, 0, time.Time{}},
		{"all is held", of3(Snapshot{RestHealthy: true}, 0, 0, 3, 0), healthy, Held, 4, time.Time{}},
		{"one is held, others on their way", of3(Snapshot{}, 2, 1, 1, 0), allowHeld, "", 2, time.Time{}},
		{"one is held, others applied", of3(Snapshot{RestApplied: true}, 2, 0, 1, 0), applied, Held, 4, time.Time{}},
		{"the plan is not approved", of3(Snapshot{AwaitingApproval: "it is not"}, 1, 1, 0, 0), healthy, Held, 4, time.Time{}},
		{"the plan is not approved, held clusters allowed", of3(Snapshot{AwaitingApproval: "it is not", RestHealthy: true}, 1, 1, 2, 0), allowHeld, Held, 4, time.Time{}},
		{"the plan is not approved, and overtaken", of3(Snapshot{AwaitingApproval: "it is not", Superseded: "prod-2"}, 1, 1, 2, 0), healthy, Superseded, 6, time.Time{}},
		{"the federation is suspended on the way", of3(Snapshot{Suspended: true}, 1, 1, 0, 0), healthy, Held, 4, time.Time{}},
		{"the federation is suspended afterwards", of3(Snapshot{Suspended: true, Ready: true}, 3, 3, 0, 0), healthy, Done, 0, time.Time{}},

		{"the rest is unreachable for long", of3(Snapshot{RestHealthy: true, UnreachableSince: lostFor(time.Hour)}, 2, 2, 0, 1), healthy, Unreachable, 5, time.Time{}},
		{"the rest is unreachable for as long as the grace", of3(Snapshot{RestHealthy: true, UnreachableSince: lostFor(time.Minute)}, 2, 2, 0, 1), healthy, Unreachable, 5, time.Time{}},
		{"the rest was lost just now", of3(Snapshot{RestHealthy: true, UnreachableSince: lostFor(20 * time.Second)}, 2, 2, 0, 1), healthy, "", 2, now.Add(40 * time.Second)},
		{"the rest is unreachable, nobody knows since when", of3(Snapshot{RestHealthy: true}, 2, 2, 0, 1), healthy, "", 2, now.Add(time.Minute)},
		{"one is unreachable, others on their way", of3(Snapshot{UnreachableSince: lostFor(time.Hour)}, 1, 1, 0, 1), healthy, "", 2, time.Time{}},

		{"one is held, one unreachable", of3(Snapshot{RestHealthy: true, UnreachableSince: lostFor(time.Hour)}, 1, 1, 1, 1), healthy, Held, 4, time.Time{}},
		{"one is held, one unreachable, held is allowed", of3(Snapshot{RestHealthy: true, UnreachableSince: lostFor(time.Hour)}, 1, 1, 1, 1), allowHeld, Unreachable, 5, time.Time{}},
	} {
		t.Run(c.state, func(t *testing.T) {
			got := Judge(c.sight, c.goal, now)
			require.Equal(t, c.want, got.Result, got.Message)
			require.Equal(t, c.code, got.ExitCode())
			if c.want != "" {
				require.NotEmpty(t, got.Message)
				return
			}
			if c.again.IsZero() {
				c.again = c.goal.Deadline
			}
			require.Equal(t, c.again, got.CheckAt)
		})
	}
}

// of3 returns a current snapshot of three clusters.
func of3(s Snapshot, applied, healthy, held, unreachable int32) Snapshot {
	s.Release, s.Evaluated = "prod-1", true
	s.Summary = v1alpha1.Summary{
		Total: 3, Applied: applied, Healthy: healthy, Held: held, Unreachable: unreachable,
		Progressing: 3 - healthy - held - unreachable,
	}
	return s
}

// stale returns a snapshot of an older generation.
func stale(s Snapshot) Snapshot {
	s.Evaluated = false
	return s
}
