package propagate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRandomPlans: whatever people write, shares add up to the total, every cluster is chosen or refused, a second plan
// is the same, and so is one whose input came in another order.
func TestRandomPlans(t *testing.T) {
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 7))
		text := randomCase(random)
		in := load(t, text)
		p := plan(t, in)
		for _, d := range p.Decisions {
			require.Len(t, p.Clusters(), len(d.Chosen)+len(d.Refused), "seed %d\n%s", seed, text)
			if d.Policy == nil || d.ID.Kind != "Deployment" || len(d.Chosen) == 0 {
				continue
			}
			sum := int32(0)
			for _, c := range d.Chosen {
				sum += *c.Replicas
			}
			s := d.Policy.Spec.Placement.ReplicaScheduling
			if divided := s != nil && s.ReplicaSchedulingType == "Divided"; divided {
				require.Equal(t, total(d.ID.Name), sum, "seed %d: %s\n%s", seed, d.ID, text)
			} else {
				require.Equal(t, total(d.ID.Name)*int32(len(d.Chosen)), sum, "seed %d: %s\n%s", seed, d.ID, text)
			}
		}
		digest := p.Digest()
		require.Equal(t, digest, plan(t, in).Digest())
		shuffle(random, in)
		shuffled := plan(t, in)
		require.Equal(t, p.Decisions, shuffled.Decisions, "seed %d\n%s", seed, text)
		require.Equal(t, digest, shuffled.Digest(), "seed %d\n%s", seed, text)
		for _, c := range p.Clusters() {
			require.Equal(t, p.For(c), shuffled.For(c))
		}
	}
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
		fmt.Fprintf(&b, "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%d-%d, namespace: %s}, spec: {replicas: %d}}\n",
			n, i, pick(random, "x", "y"), n)
		fmt.Fprintf(&b, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: %s}}\n", i, pick(random, "x", "z"))
	}
	for i := range random.IntN(5) {
		kind, metadata := "ClusterPropagationPolicy", fmt.Sprintf("{name: p%d}", i)
		if random.IntN(2) == 0 {
			kind, metadata = "PropagationPolicy", fmt.Sprintf("{name: p%d, namespace: %s}", i, pick(random, "x", "y", "z"))
		}
		fmt.Fprintf(&b, "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: %s, metadata: %s, spec: {priority: %d, resourceSelectors: [%s]%s%s}}\n",
			kind, metadata, random.IntN(3),
			pick(random, "{apiVersion: v1, kind: ConfigMap}", "{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap, name: c1}"),
			pick(random, "", ", placement: {clusterAffinity: {exclude: [a, d]}}", ", placement: {clusterAffinities: [{affinityName: a}]}",
				", placement: {replicaScheduling: {}}",
				", placement: {replicaScheduling: {weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [a, b]}, weight: 2}, {targetCluster: {exclude: [a]}, weight: 1}]}}}"),
			pick(random, "", ", suspension: {dispatching: true}", ", suspension: {dispatchingOnClusters: {clusterNames: [b]}}", ", preserveResourcesOnDeletion: true"))
	}
	for i := range random.IntN(3) {
		fmt.Fprintf(&b, "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterOverridePolicy, metadata: {name: o%d}, spec: {overrideRules: [{targetCluster: {clusterNames: [%s]}, overriders: {labelsOverrider: [{operator: add, value: {l%d: v}}]}}]}}\n",
			i, pick(random, "a", "b, c", "d"), i)
	}
	for i := range random.IntN(5) {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: %c}}\n", 'a'+rune(i))
	}
	return b.String()
}

func pick(random *rand.Rand, choices ...string) string { return choices[random.IntN(len(choices))] }
