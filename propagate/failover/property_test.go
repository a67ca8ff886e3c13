package failover_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
)

// seeds runs a test with random numbers that a failure names.
func seeds(t *testing.T, n int, test func(t *testing.T, random *rand.Rand)) {
	first := uint64(time.Now().UnixNano())
	for i := range uint64(n) {
		t.Run(fmt.Sprint(first+i), func(t *testing.T) { test(t, rand.New(rand.NewPCG(17, first+i))) })
	}
}

// TestFlappingFleets runs random fleets whose clusters and copies fail at random times, and holds the bounds of evictions.
func TestFlappingFleets(t *testing.T) {
	evicting, evicted, cancelled, again, doubted, settled := 0, 0, 0, 0, 0, 0
	seeds(t, 15, func(t *testing.T, random *rand.Rand) {
		m := newModel(random, 2+random.IntN(6), 1+random.IntN(8))
		end := 3 * time.Hour
		for _, c := range m.members {
			if random.IntN(2) == 0 {
				m.outages(c, end, 20*time.Minute)
			}
		}
		for _, o := range m.objects {
			o.policy.Spec.Failover.Cluster.PurgeMode = []string{"Gracefully", "Gracefully", "Directly"}[random.IntN(3)]
			o.policy.Spec.Failover.Application.PurgeMode = []string{"Gracefully", "Directly", "Never"}[random.IntN(3)]
			o.stateful = random.IntN(6) == 0
			if random.IntN(6) == 0 {
				o.suspended = "a policy suspends it"
			}
			for _, c := range m.members {
				if at := time.Duration(random.IntN(200)) * time.Minute; random.IntN(3) == 0 {
					o.breaks[c.name] = outage{after(at), after(min(at+time.Duration(random.IntN(40))*time.Minute, end)), false}
				}
			}
		}
		began := map[string][]time.Time{} // by object and cluster
		var all []time.Time
		for m.now.Before(after(end + 3*time.Hour)) {
			in := m.step(time.Duration(1+random.IntN(9000)) * time.Millisecond)
			if random.IntN(20) == 0 {
				require.Equal(t, asWritten(t, m.out), asWritten(t, failover.Decide(restarted(t, shuffled(random, in)))), "a restart, and another order")
			}
			for _, e := range m.out.Events {
				o := m.objects[slices.IndexFunc(m.objects, func(o *placed) bool { return o.id == e.ID })]
				key := e.ID.String() + " " + e.Cluster
				switch e.Kind {
				case failover.ClusterEvicting:
					evicting++
					require.Empty(t, m.out.Doubt, "nothing begins while accord doubts its network")
					require.LessOrEqual(t, 100*unreachable(in), max(100, m.settings.MaxUnreachable*len(in.Clusters)), "the budget")
					require.Empty(t, o.suspended)
					require.False(t, o.stateful)
					if earlier := began[key]; len(earlier) > 0 {
						again++
						require.GreaterOrEqual(t, m.now.Sub(earlier[len(earlier)-1]), m.settings.Cooldown, "one move per cooldown")
					}
					began[key] = append(began[key], m.now)
					all = append(all, m.now.Truncate(time.Second))
				case failover.ClusterEvicted:
					evicted++
					completed(t, in, o, e)
				case failover.EvictionCancelled:
					cancelled++
				}
			}
			if m.out.Doubt != "" && len(m.out.Blocked) > 0 {
				doubted++
			}
			open := 0
			for _, o := range m.objects {
				for _, task := range o.tasks {
					if task.Open() {
						open++
						require.True(t, slices.ContainsFunc(m.out.Waiting, func(w failover.Waiting) bool {
							return w.ID == o.id && w.Cluster == task.FromCluster && w.Message != ""
						}), "an open task names what it waits for")
					}
				}
			}
			require.Len(t, m.out.Waiting, open)
		}
		window := max(time.Second, time.Duration(float64(time.Second)/m.settings.EvictionRate))
		for i, at := range all {
			in := 0
			for _, other := range all[:i+1] {
				if other.After(at.Add(-window)) {
					in++
				}
			}
			require.LessOrEqual(t, in, max(1, int(m.settings.EvictionRate)), "the rate")
		}
		if len(all) > 0 {
			settled++
		}
		for _, o := range m.objects {
			for _, task := range o.tasks {
				require.True(t, task.Open(), "the cooldown of %s is over", o.id)
				require.NotNil(t, task.SuppressDeletion, "%s waits on %s, and nothing fails any more: %v", o.id, task.FromCluster, m.out.Waiting)
			}
		}
	})
	require.Greater(t, evicting, 20)
	require.Greater(t, evicted, 8)
	require.Greater(t, cancelled, 1)
	require.Greater(t, again, 1, "a cluster evicts an object again, after the cooldown")
	require.Greater(t, doubted, 10, "the budget blocks evictions")
	require.Greater(t, settled, 5, "fleets with evictions come to an end")
	t.Logf("evicting %d, evicted %d, cancelled %d, again %d, doubted %d, settled %d", evicting, evicted, cancelled, again, doubted, settled)
}

// completed requires that an old copy is given up only when a replacement is healthy, or nothing is left of it.
func completed(t *testing.T, in failover.Input, o *placed, e failover.Event) {
	object := in.Objects[slices.IndexFunc(in.Objects, func(x failover.Object) bool { return x.ID == e.ID })]
	old := object.Copies[slices.IndexFunc(object.Copies, func(c failover.Copy) bool { return c.Cluster == e.Cluster })]
	if old.Gone {
		return
	}
	task := object.Tasks[slices.IndexFunc(object.Tasks, func(x v1alpha1.GracefulEvictionTask) bool { return x.FromCluster == e.Cluster })]
	require.Equal(t, v1alpha1.PurgeGracefully, task.PurgeMode, "Directly completes when the copy is gone, Never when a person says so")
	healthy, wanted := 0, 0
	for _, choice := range object.Choice {
		if *choice.Replicas == 0 {
			continue
		}
		wanted++
		if slices.ContainsFunc(object.Copies, func(c failover.Copy) bool {
			return c.Cluster == choice.Name && c.Health == failover.Healthy && c.Current
		}) {
			healthy++
		}
	}
	require.Positive(t, healthy, "%s leaves %s", e.ID, e.Cluster)
	if healthy < wanted {
		require.GreaterOrEqual(t, in.Now.Sub(task.CreationTimestamp.Time), 10*time.Minute, "not every replacement is healthy, so the grace period is over")
	}
}

// TestNeverFewerReplicas compares a fleet with one flapping cluster, on which copies are unhealthy at times, with its twin without
// failover: no object has fewer healthy replicas at any time.
func TestNeverFewerReplicas(t *testing.T) {
	moved, ailing, better := 0, 0, 0
	seeds(t, 12, func(t *testing.T, random *rand.Rand) {
		seed := random.Uint64()
		twin := func(enabled bool) *model {
			m := newModel(rand.New(rand.NewPCG(1, seed)), 2+int(seed%5), 12)
			m.outages(m.members[0], 4*time.Hour, 6*time.Minute) // many end before the replacement is healthy
			for _, o := range m.objects {
				if at := time.Duration(m.random.IntN(200)) * time.Minute; m.random.IntN(2) == 0 {
					o.breaks[m.members[0].name] = outage{after(at), after(at + time.Duration(m.random.IntN(40))*time.Minute), false}
				}
			}
			m.settings.Enabled, m.settings.MaxUnreachable = enabled, 100
			return m
		}
		with, without := twin(true), twin(false)
		for with.now.Before(after(5 * time.Hour)) {
			with.step(5 * time.Second)
			without.step(5 * time.Second)
			for i, o := range with.objects {
				require.GreaterOrEqual(t, o.available(), without.objects[i].available(), "%s at %s: %+v", o.id, with.now.Sub(begin), o.tasks)
				if o.available() > without.objects[i].available() {
					better++
				}
			}
			for _, e := range with.out.Events {
				switch o := with.objects[slices.IndexFunc(with.objects, func(o *placed) bool { return o.id == e.ID })]; {
				case e.Kind == failover.ClusterEvicted:
					moved++
				case e.Kind == failover.ClusterEvicting && o.breaks[e.Cluster].inside(with.now):
					ailing++
				}
			}
			require.Empty(t, without.out.Events)
		}
	})
	require.Greater(t, moved, 2)
	require.Greater(t, ailing, 0, "unhealthy copies are evicted")
	require.Greater(t, better, 100, "failover helps")
	t.Logf("moved %d, evicted as unhealthy %d, better %d", moved, ailing, better)
}

func unreachable(in failover.Input) (n int) {
	for _, c := range in.Clusters {
		if c.Unreachable {
			n++
		}
	}
	return n
}

// shuffled returns the input in another order.
func shuffled(random *rand.Rand, in failover.Input) failover.Input {
	in.Clusters, in.Objects = slices.Clone(in.Clusters), slices.Clone(in.Objects)
	random.Shuffle(len(in.Clusters), func(i, j int) { in.Clusters[i], in.Clusters[j] = in.Clusters[j], in.Clusters[i] })
	random.Shuffle(len(in.Objects), func(i, j int) { in.Objects[i], in.Objects[j] = in.Objects[j], in.Objects[i] })
	for i := range in.Objects {
		o := &in.Objects[i]
		o.Choice, o.Copies, o.Tasks = slices.Clone(o.Choice), slices.Clone(o.Copies), slices.Clone(o.Tasks)
		random.Shuffle(len(o.Choice), func(i, j int) { o.Choice[i], o.Choice[j] = o.Choice[j], o.Choice[i] })
		random.Shuffle(len(o.Copies), func(i, j int) { o.Copies[i], o.Copies[j] = o.Copies[j], o.Copies[i] })
		random.Shuffle(len(o.Tasks), func(i, j int) { o.Tasks[i], o.Tasks[j] = o.Tasks[j], o.Tasks[i] })
	}
	return in
}

// restarted returns the input with tasks and times as the hub has them.
func restarted(t *testing.T, in failover.Input) failover.Input {
	in.Objects = slices.Clone(in.Objects)
	for i := range in.Objects {
		o := &in.Objects[i]
		o.Tasks, o.UnhealthySince = written(t, o.Tasks), written(t, o.UnhealthySince)
	}
	return in
}

// asWritten returns an outcome whose tasks and times were written and read back.
func asWritten(t *testing.T, out failover.Outcome) failover.Outcome {
	tasks, unhealthy := map[manifest.ID][]v1alpha1.GracefulEvictionTask{}, map[manifest.ID]map[string]time.Time{}
	for id, list := range out.Tasks {
		tasks[id] = append([]v1alpha1.GracefulEvictionTask{}, written(t, list)...)
	}
	for id, since := range out.UnhealthySince {
		unhealthy[id] = written(t, since)
	}
	out.Tasks, out.UnhealthySince = tasks, unhealthy
	return out
}

// written returns a value that was written as JSON and read back.
func written[T any](t *testing.T, value T) (read T) {
	text, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	return read
}

// TestDecideWithoutConcern: an object without a task, a tainted cluster or an unhealthy copy changes nothing.
func TestDecideWithoutConcern(t *testing.T) {
	out := failover.Decide(one(0))
	require.Equal(t, failover.Outcome{Tasks: map[manifest.ID][]v1alpha1.GracefulEvictionTask{}, UnhealthySince: map[manifest.ID]map[string]time.Time{}}, out)
}
