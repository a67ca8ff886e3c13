package stage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/stage"
)

// controller decides again and again, as the reconciler does; what clusters say is written by the test.
type controller struct {
	in  stage.Input
	out stage.Outcome
}

// twoStages is a canary and the rest, with b wanted where a runs, and decided once.
func twoStages(change func(*policy.RolloutSpec)) *controller {
	r := &policy.Rollout{Meta: policy.Meta{Name: "standard"}, Spec: policy.RolloutSpec{
		ProgressDeadline: "10m", OnFailure: policy.Halt, CatchUpPolicy: policy.Immediate,
		Stages: []policy.RolloutStage{
			{Name: "canary", ClusterAffinity: only("c1"), Gate: policy.RolloutGate{SoakDuration: "5m"}},
			{Name: "rest", ClusterAffinity: only("c2", "c3")},
		},
	}}
	if change != nil {
		change(&r.Spec)
	}
	c := &controller{in: input(r, named("c1", "c2", "c3"))}
	c.after(0)
	return c
}

func (c *controller) after(d time.Duration) {
	c.in.Now = c.in.Now.Add(d)
	c.out = stage.Decide(c.in)
	c.in.Previous = c.out.State
}

func (c *controller) says(cluster int, digest string, health stage.Health, since time.Time) {
	r := &c.in.Clusters[cluster-1].Report
	r.Digest, r.Health, r.Since = digest, health, since
}

func (c *controller) gets(cluster int) bool { return c.out.Decisions[cluster-1].Held == "" }

func TestReportAboutAnotherVersionIsUnknown(t *testing.T) {
	c := twoStages(nil)
	c.says(1, "a", stage.Healthy, begin.Add(-time.Hour))
	c.after(9 * time.Minute)
	require.Equal(t, stage.Rolling, c.out.Phase, "it is healthy, on what it had before")
	require.Equal(t, "to become healthy", c.out.WaitingFor.Message)
	require.Equal(t, begin.Add(10*time.Minute), c.out.WaitingFor.Deadline)
	c.after(time.Minute)
	require.Equal(t, stage.Halted, c.out.Phase)
	require.Equal(t, "ProgressDeadlineExceeded", c.out.Reason)
	require.False(t, c.gets(2))
}

func TestSoakBeginsWithThisVersion(t *testing.T) {
	c := twoStages(nil)
	c.says(1, "b", stage.Healthy, begin.Add(-time.Hour)) // a transition time of long ago, which nothing but the version has left behind
	c.after(time.Minute)
	require.Equal(t, stage.Soaking, c.out.Phase)
	require.Equal(t, begin.Add(5*time.Minute), c.out.RequeueAt, "five minutes after it was given")
	c.says(1, "b", stage.Healthy, begin.Add(3*time.Minute)) // it was not, meanwhile
	c.after(3 * time.Minute)
	require.Equal(t, begin.Add(8*time.Minute), c.out.RequeueAt)
	c.after(4*time.Minute - time.Second)
	require.False(t, c.gets(2))
	c.after(time.Second)
	require.True(t, c.gets(2) && c.gets(3))
	require.Equal(t, "rest", c.out.Stage)
	require.Equal(t, 2, c.out.StageIndex)
}

func TestWhoWasNotAskedYetIsGivenNothing(t *testing.T) {
	c := twoStages(nil)
	c.says(1, "b", stage.Healthy, begin)
	c.in.Clusters[0].Unobserved = true // after a restart
	c.after(time.Hour)
	require.Equal(t, stage.Rolling, c.out.Phase, "it cannot be said that it failed")
	require.Nil(t, c.out.State.Failure)
	c.in.Clusters[0].Unobserved, c.in.Clusters[1].Unobserved = false, true
	c.after(0)
	require.False(t, c.gets(2), "its stage has its turn, but what it runs is not known")
	require.True(t, c.gets(3))
	c.in.Clusters[1].Unobserved = false
	c.after(0)
	require.True(t, c.gets(2))
}

func TestPeopleHoldBeforeStagesDo(t *testing.T) {
	c := twoStages(nil)
	c.in.Clusters[2].Held = "INC-4411 (clusters.yaml:3)"
	c.after(0)
	require.Equal(t, "INC-4411 (clusters.yaml:3)", c.out.Decisions[2].Held)
	require.Equal(t, "waits for stage canary ()", c.out.Decisions[1].Held)
}

// halted is a canary that failed.
func halted(change func(*policy.RolloutSpec)) *controller {
	c := twoStages(change)
	c.says(1, "b", stage.Failed, time.Time{})
	c.after(10 * time.Minute)
	return c
}

func TestFailureStaysUntilGitChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*controller)
		lifted bool
	}{
		{"nothing", func(*controller) {}, false},
		{"another commit that changes nothing here", func(c *controller) { c.in.Revision = "main@sha1:ccc" }, false},
		{"the fleet, and what is wanted with it", func(c *controller) { c.in.Clusters[2].Wanted = "c" }, false},
		{"the cluster is healthy after all", func(c *controller) { c.says(1, "b", stage.Healthy, time.Time{}) }, false},
		{"a commit that changes another cluster", func(c *controller) { c.in.Revision, c.in.Clusters[2].Wanted = "main@sha1:ccc", "c" }, true},
		{"a commit that changes what failed", func(c *controller) { c.in.Revision, c.in.Clusters[0].Wanted = "main@sha1:ccc", "c" }, true},
		{"a commit that changes the policy", func(c *controller) {
			c.in.Revision = "main@sha1:ccc"
			c.in.Sequence.Policy.Spec.ProgressDeadline = "1h"
		}, true},
		{"a commit that pauses", func(c *controller) {
			c.in.Revision = "main@sha1:ccc"
			c.in.Sequence.Policy.Spec.Stages[1].Paused = true
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			it := halted(nil)
			before := it.out.State.Failure
			require.NotNil(t, before)
			c.change(it)
			it.after(time.Second)
			after := it.out.State.Failure
			require.Equal(t, c.lifted, after == nil || !after.At.Equal(before.At), "%+v", after)
		})
	}
}

// TestHaltIsJudgedAgain: a commit that leaves what failed as it is ends the halt, and the next one begins before anybody
// gets anything.
func TestHaltIsJudgedAgain(t *testing.T) {
	c := halted(nil)
	c.in.Revision, c.in.Clusters[2].Wanted = "main@sha1:ccc", "c"
	c.after(time.Second)
	require.Equal(t, stage.Halted, c.out.Phase)
	require.Equal(t, "main@sha1:ccc", c.out.State.Failure.Revision)
	for _, e := range c.out.Events {
		require.NotEqual(t, stage.ClusterUpdated, e.Kind)
	}
}

func TestRollbackIsNotRepeated(t *testing.T) {
	c := halted(func(s *policy.RolloutSpec) { s.OnFailure = policy.Rollback })
	require.Equal(t, stage.RolledBack, c.out.Phase)
	require.Equal(t, &stage.Version{Digest: "a", Revision: "main@sha1:aaa"}, c.out.Decisions[0].RollbackTo)
	require.True(t, c.out.Decisions[0].Changed)
	require.Contains(t, c.out.Message, "rolled back to aaa from bbb: ")
	c.says(1, "a", stage.Healthy, time.Time{})
	c.after(time.Hour)
	require.False(t, c.out.Decisions[0].Changed)
	require.NotNil(t, c.out.Decisions[0].RollbackTo, "as long as it stands, this is what the cluster is to have")
	c.in.Revision, c.in.Clusters[2].Wanted = "main@sha1:ccc", "c"
	c.after(time.Hour)
	require.Equal(t, stage.RolledBack, c.out.Phase, "what failed on c1 would be given to it again")
	c.in.Revision, c.in.Clusters[0].Wanted = "main@sha1:ddd", "d"
	c.after(time.Hour)
	require.Equal(t, stage.Rolling, c.out.Phase)
	require.True(t, c.gets(1))
}

func TestClusterLeavesAndJoins(t *testing.T) {
	c := twoStages(func(s *policy.RolloutSpec) { s.Stages[0].Gate.Approval = policy.Manual })
	c.in.Commands = []policy.Command{{Do: policy.CommandApprove, RolloutID: c.out.ID, Stage: "canary"}}
	for i := 1; i <= 3; i++ {
		c.says(i, "b", stage.Healthy, time.Time{})
	}
	c.after(time.Minute)
	c.after(5 * time.Minute)
	c.after(0)
	require.Equal(t, stage.Complete, c.out.Phase)
	two := c.in
	two.Clusters = two.Clusters[:2]
	out := stage.Decide(two)
	require.Equal(t, stage.Complete, out.Phase, "without c3 everything is as it was, and nobody has to approve it")
	require.Empty(t, out.Events)
	two.Previous = out.State
	two.Clusters = append(two.Clusters[:2:2], stage.Cluster{Name: "c3", Wanted: "b"})
	out = stage.Decide(two)
	require.Equal(t, "rest", out.Stage, "a new cluster gets it at once: the canary has it")
	require.Empty(t, out.Decisions[2].Held)
}

func TestRemovedClusterIsForgotten(t *testing.T) {
	c := twoStages(nil)
	for i := range c.in.Clusters {
		c.in.Clusters[i].Wanted = ""
	}
	c.after(0)
	for i := range c.in.Clusters {
		c.in.Clusters[i].Report = stage.Report{}
	}
	c.after(time.Minute)
	c.after(5 * time.Minute)
	c.after(time.Minute)
	require.Equal(t, stage.Complete, c.out.Phase)
	require.Empty(t, c.out.State.Clusters)
}
