package stage_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/stage"
)

// TestInvariants plays random rollouts and holds every step to what a rollout promises.
func TestInvariants(t *testing.T) {
	rounds := 300
	verdicts := map[stage.Phase]int{}
	for seed := range rounds {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			in := randomInput(random)
			w := &watcher{t: t, random: random, given: map[string]bool{}}
			line := stage.Play(in, randomScenario(random, in), w.see)
			ends(t, line)
			verdicts[line.Last.Phase]++
		})
	}
	for _, v := range []stage.Phase{stage.Complete, stage.Halted, stage.RolledBack, stage.WaitingForApproval, stage.Paused} {
		require.NotZero(t, verdicts[v], "no random rollout ends with %s: %v", v, verdicts)
	}
}

// ends: a rollout that does not move any more is complete, or says what it waits for.
func ends(t *testing.T, line stage.Timeline) {
	t.Helper()
	o := line.Last
	if o.Phase == stage.Complete {
		return
	}
	require.NotNil(t, o.WaitingFor, o.Phase)
	require.NotEmpty(t, o.WaitingFor.Message)
	require.False(t, o.WaitingFor.Since.IsZero(), "since when: %+v", o.WaitingFor)
	require.NotContains(t, []stage.Phase{stage.Rolling, stage.Soaking}, o.Phase, "waits for %+v\n%s", o.WaitingFor, line)
}

// watcher holds each step against the ones before.
type watcher struct {
	t      *testing.T
	random *rand.Rand
	before *stage.Step
	given  map[string]bool // what had its version already was healthy on it for longer than the rollout knows
}

func (w *watcher) see(s stage.Step) {
	t := w.t
	w.decidesForAll(s)
	w.keepsConcurrency(s)
	w.keepsGates(s)
	w.handsOff(s)
	w.keepsBudget(s)
	w.waits(s)
	if w.random.IntN(8) == 0 {
		same(t, w.random, s)
	}
	again := s.Input
	again.Previous = s.Outcome.State
	if second := stage.Decide(again); len(s.Outcome.Events) == 0 {
		require.Equal(t, s.Outcome.State, second.State, "nothing happened, and another state is written")
	}
	w.before = &s
}

func (w *watcher) decidesForAll(s stage.Step) {
	require.Len(w.t, s.Outcome.Decisions, len(s.Input.Clusters))
	require.True(w.t, slices.IsSortedFunc(s.Outcome.Decisions, func(a, b stage.Decision) int { return compare(a.Cluster, b.Cluster) }))
	for _, d := range s.Outcome.Decisions {
		c := cluster(s, d.Cluster)
		given := s.Outcome.State.Clusters[d.Cluster].Current
		if d.Held == "" {
			require.Equal(w.t, c.Wanted, given.Digest, "%s is not held and has something else", d.Cluster)
		} else {
			require.NotEqual(w.t, c.Wanted, given.Digest, "%s is held: %s", d.Cluster, d.Held)
		}
		if d.RollbackTo != nil {
			require.Equal(w.t, stage.RolledBack, s.Outcome.Phase)
			require.Equal(w.t, given, *d.RollbackTo)
		}
	}
}

// keepsConcurrency: no cluster is given anything while as many of its stage as may are changing, but for one that was among them.
func (w *watcher) keepsConcurrency(s stage.Step) {
	for _, course := range s.Input.Sequence.Stages {
		limit := max(1, course.MaxConcurrency.Of(len(course.Clusters), len(course.Clusters)))
		given, flying := 0, 0
		for _, name := range course.Clusters {
			memory := s.Outcome.State.Clusters[name]
			if gives(s, name) {
				given++
				flying++
			} else if changing(s, name, memory, course.RolloutStage) {
				flying++
			}
		}
		if given > 0 && flying > limit {
			moved := 0 // those that were changing before and are given something newer
			for _, name := range course.Clusters {
				if before := s.Input.Previous.Clusters[name]; gives(s, name) && !before.UpdatedAt.IsZero() && before.GatePassedAt.IsZero() {
					moved++
				}
			}
			require.GreaterOrEqual(w.t, moved, given, "stage %s: %d in flight, %d given now, and %d may be", course.Name, flying, given, limit)
		}
	}
}

// changing: the cluster was given something, has not become healthy on it, and its time is not over.
func changing(s stage.Step, name string, m stage.ClusterState, in policy.RolloutStage) bool {
	c := cluster(s, name)
	if m.UpdatedAt.IsZero() || !m.GatePassedAt.IsZero() || c.Held != "" || c.Unreachable != "" {
		return false
	}
	about := c.Report.Digest == m.Current.Digest
	if about && (c.Report.Health == stage.Healthy || c.Report.Health == stage.Stalled || m.Current.Digest == "") {
		return false
	}
	return s.Input.Now.Before(m.UpdatedAt.Add(s.Input.Sequence.Policy.Spec.Deadline(in).Length()))
}

// keepsGates: who is given something is in the stage that has its turn, or catches up, and every earlier stage is done:
// nobody there waits for anything that a gate asks.
func (w *watcher) keepsGates(s stage.Step) {
	entered := 0
	for _, e := range s.Outcome.Events {
		switch e.Kind {
		case stage.StageStarted:
			entered++
		case stage.ClusterUpdated:
			w.given[e.Cluster] = true
		case stage.StageCompleted:
			w.passes(s, e.Stage)
		}
	}
	require.LessOrEqual(w.t, entered, 1, "two stages at once")
	turn := turnOf(s)
	for i, course := range s.Input.Sequence.Stages {
		for _, name := range course.Clusters {
			if !gives(s, name) {
				continue
			}
			require.Nil(w.t, s.Outcome.State.Failure, "%s gets something although the rollout failed", name)
			if i > turn {
				w.t.Fatalf("%s of stage %s gets it in the turn of %s", name, course.Name, s.Outcome.Stage)
			}
			if i < turn {
				require.Equal(w.t, policy.Immediate, s.Input.Sequence.Policy.Spec.CatchUpPolicy, "%s catches up", name)
			}
			for _, earlier := range s.Input.Sequence.Stages[:i] {
				w.done(s, earlier, name)
			}
		}
	}
}

// turnOf is the index of the stage that has its turn after the step, or their number when all were left.
func turnOf(s stage.Step) int {
	for i, course := range s.Input.Sequence.Stages {
		if course.Name == s.Outcome.Stage {
			return i
		}
	}
	return len(s.Input.Sequence.Stages)
}

// done: each cluster of the stage has what is wanted and was gated with it, or is one that may be passed over.
func (w *watcher) done(s stage.Step, course stage.Stage, by string) {
	proven := len(course.Clusters) == 0
	unhealthy := 0
	for _, name := range course.Clusters {
		c, m := cluster(s, name), s.Outcome.State.Clusters[name]
		switch {
		case c.Wanted == m.Current.Digest && (m.UpdatedAt.IsZero() || m.StageCompleted):
			proven = true
		case c.Held != "", c.Unreachable != "":
		case gives(s, name) || c.Wanted == m.Current.Digest && s.Input.Sequence.Policy.Spec.CatchUpPolicy == policy.Immediate:
			proven = true // it catches up beside the turn of a later stage
		default:
			unhealthy++
		}
	}
	require.Zero(w.t, unhealthy, "%s gets it, and stage %s is not done", by, course.Name)
	require.True(w.t, proven, "%s gets it, and nothing is proven in stage %s", by, course.Name)
}

// passes: a stage is left only when each of its clusters is healthy on what is wanted and has been for its soak, or may be
// passed over; when a person approved it, if one has to; and in a window.
func (w *watcher) passes(s stage.Step, name string) {
	course := s.Input.Sequence.Stages[slices.IndexFunc(s.Input.Sequence.Stages, func(c stage.Stage) bool { return c.Name == name })]
	failing, away := 0, 0
	for _, name := range course.Clusters {
		c, m := cluster(s, name), s.Outcome.State.Clusters[name]
		before := s.Input.Previous.Clusters[name]
		switch {
		case c.Wanted == m.Current.Digest && (m.UpdatedAt.IsZero() || before.StageCompleted && before.UpdatedAt.Equal(m.UpdatedAt)), c.Held != "":
		case c.Unreachable != "":
			away++
		case !m.GatePassedAt.IsZero() && (c.Report.Health == stage.Healthy || c.Wanted == "") && c.Report.Digest == c.Wanted:
			relapsed := m.HealthySince.After(m.GatePassedAt) // and was healthy again before anybody gave it up
			require.True(w.t, relapsed || !w.given[name] || !m.GatePassedAt.Before(m.HealthySince.Add(course.Gate.SoakDuration.Length())), "%s passed before its soak was over", name)
		default:
			failing++
		}
	}
	budget, n := s.Input.Sequence.Policy.Spec.FailureBudget, len(course.Clusters)
	require.LessOrEqual(w.t, away, budget.MaxUnreachable.Of(n, 0), "%s passed", name)
	require.LessOrEqual(w.t, failing, budget.MaxUnhealthy.Of(n, 0), "%s passed", name)
	if course.Gate.Approval == policy.Manual {
		require.True(w.t, slices.ContainsFunc(s.Input.Commands, func(o policy.Command) bool {
			return o.Do == policy.CommandApprove && o.Stage == name && o.About(s.Outcome.ID)
		}), "%s passed without approval", name)
	}
	opens, _ := policy.Open(course.Gate.Windows, s.Input.Now)
	require.False(w.t, opens.After(s.Input.Now), "%s passed outside of its windows", name)
}

// handsOff: what people hold, and what is not heard from, is given nothing, and after a failure nobody is.
func (w *watcher) handsOff(s stage.Step) {
	for _, c := range s.Input.Clusters {
		before, after := s.Input.Previous.Clusters[c.Name].Current, s.Outcome.State.Clusters[c.Name].Current
		if c.Held != "" && before.Digest != "" {
			require.Equal(w.t, before, after, "%s is held", c.Name)
		}
		if c.Unreachable != "" && s.Outcome.State.Failure == nil {
			require.Equal(w.t, before, after, "%s is unreachable", c.Name)
		}
	}
	for _, d := range s.Outcome.Decisions {
		if c := cluster(s, d.Cluster); c.Held != "" && d.Held != "" {
			require.Equal(w.t, c.Held, d.Held, "people come first")
		}
	}
}

// keepsBudget: as long as nothing failed and it is not complete, no stage has more failing clusters than the budget.
func (w *watcher) keepsBudget(s stage.Step) {
	if s.Outcome.State.Failure != nil || !s.Outcome.State.CompletedAt.IsZero() {
		return
	}
	for _, course := range s.Input.Sequence.Stages {
		late := 0
		for _, name := range course.Clusters {
			c, m := cluster(s, name), s.Outcome.State.Clusters[name]
			judged := m.Current.Digest == c.Wanted && !m.UpdatedAt.IsZero() && !m.UpdatedAt.Before(s.Outcome.State.FirstPendingAt) && c.Held == "" && c.Unreachable == ""
			healthy := c.Report.Digest == m.Current.Digest && c.Report.Health == stage.Healthy || m.Current.Digest == ""
			over := !s.Input.Now.Before(m.UpdatedAt.Add(s.Input.Sequence.Policy.Spec.Deadline(course.RolloutStage).Length()))
			if judged && m.GatePassedAt.IsZero() && !healthy && over {
				late++
			}
		}
		require.LessOrEqual(w.t, late, s.Input.Sequence.Policy.Spec.FailureBudget.MaxUnhealthy.Of(len(course.Clusters), 0), course.Name)
	}
}

// waits: what is not complete says what it waits for, and looks again only later.
func (w *watcher) waits(s stage.Step) {
	o := s.Outcome
	require.Equal(w.t, o.Phase == stage.Complete, o.WaitingFor == nil, o.Phase)
	require.NotEmpty(w.t, o.Reason)
	require.NotEmpty(w.t, o.Message)
	if !o.RequeueAt.IsZero() {
		require.True(w.t, o.RequeueAt.After(s.Input.Now))
	}
	if o.WaitingFor != nil {
		require.NotEmpty(w.t, o.WaitingFor.Message)
		require.False(w.t, o.WaitingFor.Since.After(s.Input.Now), "%+v", o.WaitingFor)
	}
	if w.before != nil && o.State.Failure != nil && w.before.Outcome.State.Failure != nil && w.before.Input.Revision == s.Input.Revision &&
		!slices.ContainsFunc(o.Events, func(e stage.Event) bool { return e.Kind == stage.RolloutResumed || e.Kind == stage.RolloutHalted }) {
		require.Equal(w.t, w.before.Outcome.State.Failure.At, o.State.Failure.At, "a failure stays")
	}
}

func gives(s stage.Step, name string) bool {
	return slices.ContainsFunc(s.Outcome.Events, func(e stage.Event) bool { return e.Kind == stage.ClusterUpdated && e.Cluster == name })
}

func cluster(s stage.Step, name string) stage.Cluster {
	return s.Input.Clusters[slices.IndexFunc(s.Input.Clusters, func(c stage.Cluster) bool { return c.Name == name })]
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}
