package rehearsal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/failover"
)

// randomInput returns a federation whose policies place in all ways, each with failover.
func randomInput(random *rand.Rand) string {
	var b strings.Builder
	b.WriteString("-- fleet.yaml --\n")
	clusters := 2 + random.IntN(5)
	for i := range clusters {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: c%d}, spec: {region: r%d}, status: {resourceSummary: {allocatable: {pods: %d}}}}\n", i, i%2, 4+random.IntN(20))
	}
	b.WriteString("-- objects.yaml --\n")
	const objects = 6
	for i := range objects {
		fmt.Fprintf(&b, "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web-%d, namespace: shop}, spec: {replicas: %d}}\n", i, 1+random.IntN(6))
	}
	b.WriteString("-- policies.yaml --\n")
	for i := range objects {
		placement := []string{
			"{}",
			"{spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]}",
			"{spreadConstraints: [{spreadByField: cluster, minGroups: 2, maxGroups: 2}]}",
			"{replicaScheduling: {replicaSchedulingType: Divided}}",
			"{replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}",
			"{replicaScheduling: {replicaSchedulingType: Divided, weightPreference: {dynamicWeight: AvailableReplicas}}}",
			"{clusterAffinities: [{affinityName: one, clusterNames: [c0, c1]}, {affinityName: two, clusterNames: [c2, c3]}]}",
			"{clusterAffinity: {clusterNames: [c0]}}",
		}[random.IntN(8)]
		fmt.Fprintf(&b, "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: web-%d, namespace: shop}, spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web-%d}], placement: %s, failover: {cluster: {purgeMode: Gracefully}}}}\n",
			i, i, placement)
	}
	return b.String()
}

// TestNeverFewerReplicasWithPlans compares random federations with a flapping cluster with the same ones without failover: with the
// planner of the controllers, too, no object has fewer available replicas at any time.
func TestNeverFewerReplicasWithPlans(t *testing.T) {
	moved, cancelled := 0, 0
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 17))
		text := randomInput(random)
		in, err := dump.Read([]byte(text))
		require.NoError(t, err)
		in.Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		plan, err := propagate.New(in)
		require.NoError(t, err)
		s := Scenario{For: 4 * time.Hour, HealthyAfter: time.Duration(20+random.IntN(200)) * time.Second, Settings: failover.Defaults()}
		for at := time.Duration(0); at < 3*time.Hour; {
			from := at + time.Duration(random.IntN(1800))*time.Second
			at = from + time.Duration(30+random.IntN(1200))*time.Second
			s.Failures = append(s.Failures, Failure{Cluster: "c0", From: from, Until: at})
		}
		without := map[manifest.ID]int32{}
		available := func(w *world, at time.Duration, id manifest.ID) (sum int32) {
			for _, c := range w.copies[id] {
				sum += c.available(at)
			}
			return sum
		}
		_, err = play(in, plan, s, func(w *world, at time.Duration) {
			for _, id := range w.objects {
				without[id] = available(w, at, id) // nothing changes without failover
			}
		})
		require.NoError(t, err)
		s.Settings.Enabled = true
		began, moves, returns := map[place]time.Duration{}, map[manifest.ID]bool{}, map[manifest.ID]bool{}
		line, err := play(in, plan, s, func(w *world, at time.Duration) {
			for _, id := range w.objects {
				if c := w.copies[id]["c0"]; len(w.tasks[id]) > 0 {
					moves[id] = true
				} else if moves[id] && w.plan.Decision(id).On("c0") {
					moves[id], returns[id] = false, true // static weights give the cluster its share again, as if it had joined
				} else if returns[id] && c != nil && at >= c.healthy {
					returns[id] = false
				}
				if returns[id] {
					continue
				}
				require.GreaterOrEqual(t, available(w, at, id), without[id], "seed %d: %s at %s\n%s", seed, id, at, text)
			}
		})
		require.NoError(t, err)
		for _, m := range line.Moments {
			for _, id := range m.Objects {
				key := place{id, m.Cluster}
				switch m.Event {
				case Evicting:
					if earlier, again := began[key]; again {
						require.GreaterOrEqual(t, m.At-earlier, s.Settings.Cooldown, "seed %d: one move per cooldown", seed)
					}
					began[key] = m.At
				case Evicted:
					moved++
				case Cancelled:
					cancelled++
				}
			}
		}
	}
	require.Greater(t, moved, 20)
	require.Greater(t, cancelled, 3)
}
