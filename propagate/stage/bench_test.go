package stage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/stage"
)

// thousand clusters in ten stages, at the end of a rollout.
func thousand(t testing.TB) stage.Input {
	t.Helper()
	r := &policy.Rollout{Spec: policy.RolloutSpec{ProgressDeadline: "10m", OnFailure: policy.Halt, CatchUpPolicy: policy.Immediate}}
	var names []string
	for i := range 10 {
		var clusters []string
		for j := range 100 {
			clusters = append(clusters, fmt.Sprintf("c%d%02d", i, j))
		}
		names = append(names, clusters...)
		r.Spec.Stages = append(r.Spec.Stages, policy.RolloutStage{
			Name: fmt.Sprintf("s%d", i), ClusterAffinity: only(clusters...), Gate: policy.RolloutGate{SoakDuration: "5m"}, MaxConcurrency: "25%",
		})
	}
	in := input(r, named(names...))
	line := stage.Play(in, stage.Scenario{HealthyAfter: "1m"}, func(s stage.Step) { in = s.Input })
	require.Equal(t, stage.Complete, line.Last.Phase)
	in.Previous = line.Last.State
	return in
}

// BenchmarkNothingChanged is a decision about 1,000 clusters when nothing changed. It does not depend on the number of
// objects: they are in one digest a cluster.
func BenchmarkNothingChanged(b *testing.B) {
	in := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		stage.Decide(in)
	}
}

// BenchmarkSimulate is a whole rollout over 1,000 clusters.
func BenchmarkSimulate(b *testing.B) {
	in := thousand(b)
	in.Previous = stage.State{}
	for i := range in.Clusters {
		in.Clusters[i].Report.Digest = "a"
	}
	for b.Loop() {
		stage.Simulate(in, stage.Scenario{HealthyAfter: "1m"})
	}
}

// TestStateIsSmall: what a Delivery has to remember of its cluster fits into a few hundred bytes, and the rest does not
// grow with the fleet.
func TestStateIsSmall(t *testing.T) {
	in := thousand(t)
	in.Clusters[0].Held = "held by somebody"
	in.Now = in.Now.Add(time.Hour)
	state := stage.Decide(in).State
	for name, memory := range state.Clusters {
		require.Less(t, len(asYAML(t, memory)), 400, name)
	}
	state.Clusters = nil
	require.Less(t, len(asYAML(t, state)), 2<<10)
}
