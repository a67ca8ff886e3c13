package propagate_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/previous"
)

// evictAny returns the input after its plan, with an eviction of some objects from one of their clusters each.
func evictAny(random *rand.Rand, in propagate.Input, p *propagate.Plan, mode v1alpha1.PurgeMode) propagate.Input {
	in.Previous = p.Previous()
	in.Evictions = map[manifest.ID][]v1alpha1.GracefulEvictionTask{}
	for i, d := range p.Decisions {
		own := in.Previous[i].Clusters
		if d.Policy == nil || d.Unplaced() || len(own) == 0 || random.IntN(3) == 0 {
			continue
		}
		task := v1alpha1.GracefulEvictionTask{PurgeMode: mode, Reason: "TaintUntolerated", CreationTimestamp: metav1.Unix(1790000000, 0)}
		from := pick(random, own...)
		task.FromCluster, task.Replicas = from.Name, from.Replicas
		for _, c := range own {
			task.ClustersBeforeFailover = append(task.ClustersBeforeFailover, c.Name)
		}
		in.Evictions[d.ID] = []v1alpha1.GracefulEvictionTask{task}
	}
	return in
}

// TestAGracefulEvictionTakesNothingAway: an evicted object leaves its cluster or keeps its placement. Every copy that it had stays, and on
// clusters that it does not leave it has as many replicas as before.
func TestAGracefulEvictionTakesNothingAway(t *testing.T) {
	moved, retained := 0, 0
	randomCases(t, func(t *testing.T, random *rand.Rand, in propagate.Input, p *propagate.Plan) {
		in = evictAny(random, in, p, v1alpha1.PurgeGracefully)
		after := plan(t, in)
		for i, d := range after.Decisions {
			before := in.Previous[i]
			if len(in.Evictions[d.ID]) == 0 {
				continue
			}
			from := in.Evictions[d.ID][0].FromCluster
			if d.PlacementRetained {
				retained++
				require.Equal(t, before.Clusters, after.Previous()[i].Clusters)
				continue
			}
			moved++
			require.False(t, slices.ContainsFunc(after.Previous()[i].Clusters, func(c previous.Cluster) bool { return c.Name == from }) && !d.Unplaced())
			for _, c := range before.Clusters {
				if !d.On(c.Name) {
					require.NotEmpty(t, after.KeepReason(c.Name, d.ID, nil), "%s on %s", d.ID, c.Name)
					continue
				}
				at := slices.IndexFunc(d.Chosen, func(x decision.Choice) bool { return x.Cluster == c.Name })
				if now := d.Chosen[at].Replicas; c.Replicas != nil && now != nil {
					require.GreaterOrEqual(t, *now, *c.Replicas, "%s on %s", d.ID, c.Name)
				}
			}
		}
		for _, c := range after.Clusters() {
			require.Empty(t, after.Evicted(c))
		}
		in.Previous = after.Previous()
		again := plan(t, in)
		require.Equal(t, after.Previous(), again.Previous())
		require.Equal(t, after.Digest(), again.Digest())
	})
	require.Greater(t, moved, 150)
	require.Greater(t, retained, 20)
	t.Log(moved, retained)
}

// TestACancelledEvictionChangesNothing: the placement is that of before, except that the others may share their replicas differently.
func TestACancelledEvictionChangesNothing(t *testing.T) {
	count := 0
	randomCases(t, func(t *testing.T, random *rand.Rand, in propagate.Input, p *propagate.Plan) {
		in = evictAny(random, in, p, v1alpha1.PurgeGracefully)
		before := in.Previous
		in.Previous = plan(t, in).Previous()
		for id, tasks := range in.Evictions {
			tasks = slices.Clone(tasks)
			tasks[0].Cancelled, tasks[0].CompletionTimestamp = true, new(metav1.Unix(1790000300, 0))
			in.Evictions[id] = tasks
		}
		after := plan(t, in)
		for i, d := range after.Decisions {
			if len(in.Evictions[d.ID]) == 0 || d.Unplaced() {
				continue
			}
			from := in.Evictions[d.ID][0].FromCluster
			for _, c := range after.Previous()[i].Clusters {
				if c.Name == from {
					count++
					require.Equal(t, in.Evictions[d.ID][0].Replicas, c.Replicas, d.ID)
				}
			}
			require.Equal(t, names(before[i].Clusters), names(after.Previous()[i].Clusters), d.ID)
		}
	})
	require.Greater(t, count, 200)
}

func names(clusters []previous.Cluster) []string {
	var all []string
	for _, c := range clusters {
		all = append(all, c.Name)
	}
	return all
}
