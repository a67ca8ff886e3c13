package propagate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/taint"
)

// randomCases are inputs that nobody would write, many of them.
func randomCases(t *testing.T, check func(t *testing.T, random *rand.Rand, in propagate.Input, p *propagate.Plan)) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		text := randomCase(random)
		in := load(t, text)
		if ok := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { check(t, random, in, plan(t, in)) }); !ok {
			t.Fatal(text)
		}
	}
}

// TestSharesAddUp: every cluster is chosen or refused, and divided replicas add up to what was asked for, or nothing is
// chosen and the reason said.
func TestSharesAddUp(t *testing.T) {
	randomCases(t, func(t *testing.T, _ *rand.Rand, _ propagate.Input, p *propagate.Plan) {
		for _, d := range p.Decisions {
			require.Len(t, p.Clusters(), len(d.Chosen)+len(d.Refused))
			if d.Policy == nil || d.ID.Kind != "Deployment" || d.Unplaced() {
				continue
			}
			require.NotEmpty(t, d.Chosen, d.ID)
			sum, want := int32(0), total(d.ID.Name)
			for _, c := range d.Chosen {
				sum += *c.Replicas
			}
			if s := d.Policy.Spec.Placement.ReplicaScheduling; s == nil || s.ReplicaSchedulingType != "Divided" {
				want *= int32(len(d.Chosen))
			}
			require.Equal(t, want, sum, d.ID)
		}
	})
}

// TestTheSameInputGivesTheSamePlan, in whatever order it comes.
func TestTheSameInputGivesTheSamePlan(t *testing.T) {
	randomCases(t, func(t *testing.T, random *rand.Rand, in propagate.Input, p *propagate.Plan) {
		digest := p.Digest()
		require.Equal(t, digest, plan(t, in).Digest())
		shuffle(random, in)
		shuffled := plan(t, in)
		require.Equal(t, p.Decisions, shuffled.Decisions)
		require.Equal(t, digest, shuffled.Digest())
		require.Equal(t, p.Previous(), shuffled.Previous())
		for _, c := range p.Clusters() {
			require.Equal(t, p.ForCluster(c), shuffled.ForCluster(c))
		}
	})
}

// TestPlanningAgainChangesNothing: what was decided is decided again.
func TestPlanningAgainChangesNothing(t *testing.T) {
	randomCases(t, func(t *testing.T, _ *rand.Rand, in propagate.Input, p *propagate.Plan) {
		in.Previous = p.Previous()
		again := plan(t, in)
		require.Equal(t, p.Previous(), again.Previous())
		require.Equal(t, p.Digest(), again.Digest())
	})
}

// TestAutomaticTaintsMoveNothing: what is on a cluster that is not Ready stays, with its replicas, and nothing else moves.
func TestAutomaticTaintsMoveNothing(t *testing.T) {
	count := 0
	randomCases(t, func(t *testing.T, random *rand.Rand, in propagate.Input, p *propagate.Plan) {
		in.Previous = p.Previous()
		was, again := p.Previous(), plan(t, notReady(random, in, &count)).Previous()
		for i, now := range again {
			if len(was[i].Clusters) > 0 { // otherwise nothing runs, and another term may be chosen
				require.Equal(t, *was[i], *now)
			}
		}
	})
	require.Greater(t, count, 100)
}

// notReady returns the input with automatic taints on random clusters, and adds their number to count.
func notReady(random *rand.Rand, in propagate.Input, count *int) propagate.Input {
	in.Fleet = slices.Clone(in.Fleet)
	for i := range in.Fleet {
		if random.IntN(2) == 0 {
			*count++
			health := taint.Health{Ready: pick(random, metav1.ConditionFalse, metav1.ConditionUnknown)}
			in.Fleet[i].Taints = taint.Automatic(in.Fleet[i].Taints, health, time.Unix(1_800_000_000, 0))
		}
	}
	return in
}

// TestOneClusterLess moves only what was there.
func TestOneClusterLess(t *testing.T) {
	randomCases(t, func(t *testing.T, random *rand.Rand, in propagate.Input, p *propagate.Plan) {
		if len(in.Fleet) < 2 {
			return
		}
		in.Previous = p.Previous()
		i := random.IntN(len(in.Fleet))
		gone := in.Fleet[i].Name
		in.Fleet = slices.Delete(slices.Clone(in.Fleet), i, i+1)
		less := plan(t, in)
		for _, was := range p.Decisions {
			now := less.Decision(was.ID)
			if now == nil || was.Policy == nil || now.Unplaced() || now.Term != was.Term {
				continue
			}
			after := map[string]decision.Choice{}
			for _, c := range now.Chosen {
				after[c.Cluster] = c
			}
			for _, c := range was.Chosen {
				if c.Cluster == gone || c.RequiredBy != nil {
					continue
				}
				require.Contains(t, after, c.Cluster, "%s", was.ID)
				if c.Replicas != nil {
					require.GreaterOrEqual(t, *after[c.Cluster].Replicas, *c.Replicas, "%s on %s", was.ID, c.Cluster)
				}
			}
		}
	})
}

// total is the number of replicas of the Deployment with this name, "d<n>-...".
func total(name string) int32 {
	var n int32
	if _, err := fmt.Sscanf(name, "d%d", &n); err != nil {
		return -1
	}
	return n
}

func randomCase(random *rand.Rand) string {
	var b strings.Builder
	b.WriteString("-- all.yaml --\n")
	for i := range 1 + random.IntN(6) {
		n := random.IntN(9)
		fmt.Fprintf(&b, "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%d-%d, namespace: %s, labels: {rack: r%d}}, spec: {replicas: %d, template: {spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: c%d}}]%s}]}}}}\n",
			n, i, pick(random, "x", "y"), random.IntN(2), n, random.IntN(6), pick(random, "", ", resources: {requests: {cpu: 1}}"))
		fmt.Fprintf(&b, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: %s}}\n", i, pick(random, "x", "z"))
	}
	for i := range random.IntN(5) {
		kind, metadata := "ClusterPropagationPolicy", fmt.Sprintf("{name: p%d}", i)
		if random.IntN(2) == 0 {
			kind, metadata = "PropagationPolicy", fmt.Sprintf("{name: p%d, namespace: %s}", i, pick(random, "x", "y", "z"))
		}
		fmt.Fprintf(&b, "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: %s, metadata: %s, spec: {priority: %d, resourceSelectors: [%s], placement: {%s}%s}}\n",
			kind, metadata, random.IntN(3),
			pick(random, "{apiVersion: v1, kind: ConfigMap}", "{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap, name: c1}"),
			strings.Join(randomPlacement(random), ", "),
			pick(random, "", ", suspension: {dispatching: true}", ", suspension: {dispatchingOnClusters: {clusterNames: [b]}}",
				", preserveResourcesOnDeletion: true", ", propagateDeps: true", ", propagateDeps: true", ", activationPreference: Lazy"))
	}
	for i := range random.IntN(3) {
		fmt.Fprintf(&b, "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterOverridePolicy, metadata: {name: o%d}, spec: {overrideRules: [{targetCluster: {clusterNames: [%s]}, overriders: {labelsOverrider: [{operator: add, value: {l%d: v}}]}}]}}\n",
			i, pick(random, "a", "b, c", "d"), i)
	}
	for i := range random.IntN(6) {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: %c}, spec: {region: %s%s}%s}\n", 'a'+rune(i),
			pick(random, "eu", "us", "\"\""), pick(random, "", "", ", taints: [{key: t, effect: NoSchedule}]", ", taints: [{key: cluster.karmada.io/not-ready, effect: NoSchedule}]"),
			pick(random, "", fmt.Sprintf(", status: {resourceSummary: {allocatable: {pods: %d, cpu: %d}}}", random.IntN(12), random.IntN(20))))
	}
	return b.String()
}

// randomPlacement has some fields, each with a value that is valid.
func randomPlacement(random *rand.Rand) []string {
	var fields []string
	some := func(choices ...string) {
		if field := pick(random, append(choices, "", "")...); field != "" {
			fields = append(fields, field)
		}
	}
	some("clusterAffinity: {exclude: [a, d]}", "clusterAffinity: {clusterNames: [a, b, c]}",
		"clusterAffinities: [{affinityName: one, clusterNames: [a, b]}, {affinityName: two}]")
	some("clusterTolerations: [{key: t, operator: Exists}]")
	some("spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 2}]", "spreadConstraints: [{spreadByField: cluster, minGroups: 2}]",
		"spreadConstraints: [{spreadByField: region, maxGroups: 1}, {spreadByField: cluster, maxGroups: 3}]")
	some("replicaScheduling: {}", "replicaScheduling: {replicaDivisionPreference: Aggregated}",
		"replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}",
		"replicaScheduling: {weightPreference: {dynamicWeight: AvailableReplicas}}",
		"replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [a, b]}, weight: 2}, {targetCluster: {exclude: [a]}, weight: 1}]}}")
	some("workloadAffinity: {affinity: {groupByLabelKey: rack}}", "workloadAffinity: {antiAffinity: {groupByLabelKey: rack}}")
	return fields
}

func pick[T any](random *rand.Rand, choices ...T) T { return choices[random.IntN(len(choices))] }
