package propagate_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/previous"
)

// crowd is a fleet whose clusters have places for fewer pods than their free resources suffice for in sum.
type crowd struct {
	random *rand.Rand
	in     propagate.Input
	places map[string]int32
	// running and pending are the pods of each workload on each cluster.
	running, pending map[string]map[manifest.ID]int32
	// left are the clusters that pods left that ran there: a spread constraint chose others. They have places again.
	left map[string]bool
}

func newCrowd(t *testing.T, seed uint64) *crowd {
	c := &crowd{random: rand.New(rand.NewPCG(seed, 17)), places: map[string]int32{}, running: map[string]map[manifest.ID]int32{}}
	var b strings.Builder
	b.WriteString("-- objects.yaml --\n")
	for w := range 1 + c.random.IntN(3) {
		fmt.Fprintf(&b, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w%d, namespace: shop}\nspec: {replicas: %d}\n", w, 1+c.random.IntN(12))
	}
	preference := pick(c.random, "{replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}",
		"{replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}")
	fmt.Fprintf(&b, `-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    replicaScheduling: %s
    spreadConstraints: [{spreadByField: cluster, maxGroups: %d, minGroups: 1}]
-- fleet.yaml --
`, preference, 1+c.random.IntN(5))
	for i := range 2 + c.random.IntN(4) {
		name, pods := fmt.Sprintf("c%d", i), 4+c.random.Int32N(30)
		c.places[name] = c.random.Int32N(pods + 1)
		c.running[name] = map[manifest.ID]int32{}
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: %s}, status: {resourceSummary: {allocatable: {pods: %d}}}}\n", name, pods)
	}
	c.in = load(t, b.String())
	return c
}

// schedule gives the pods of a plan places, as far as there are any. Pods that run keep theirs.
func (c *crowd) schedule(p *propagate.Plan) {
	c.in.Previous, c.in.Unschedulable, c.pending, c.left = p.Previous(), nil, map[string]map[manifest.ID]int32{}, map[string]bool{}
	for _, cluster := range slices.Sorted(maps.Keys(c.running)) {
		running := c.running[cluster]
		wanted := map[manifest.ID]int32{}
		for _, d := range c.in.Previous {
			wanted[d.ID] = d.Replicas()[cluster]
		}
		free := c.places[cluster]
		for id := range running {
			c.left[cluster] = c.left[cluster] || wanted[id] < running[id]
			running[id] = min(running[id], wanted[id])
			free -= running[id]
		}
		c.pending[cluster] = map[manifest.ID]int32{}
		for _, d := range c.in.Previous {
			more := min(free, wanted[d.ID]-running[d.ID])
			running[d.ID], free = running[d.ID]+more, free-more
			if stuck := wanted[d.ID] - running[d.ID]; stuck > 0 {
				c.pending[cluster][d.ID] = stuck
				if c.random.IntN(4) > 0 { // the threshold of the others is not over
					c.in.Unschedulable = append(c.in.Unschedulable, deschedule.Copy{ID: d.ID, Cluster: cluster, Replicas: stuck, Of: wanted[d.ID]})
				}
			}
		}
	}
}

// measure reads the free resources of some clusters; those of the others are old.
func (c *crowd) measure() {
	c.in.Fleet = slices.Clone(c.in.Fleet)
	for i := range c.in.Fleet {
		f := &c.in.Fleet[i]
		if c.random.IntN(3) == 0 {
			continue
		}
		f.Resources = &fleet.Resources{Allocatable: f.Resources.Allocatable, Allocated: pods(c.running[f.Name]), Allocating: pods(c.pending[f.Name])}
	}
}

func pods(of map[manifest.ID]int32) corev1.ResourceList {
	var sum int64
	for _, n := range of {
		sum += int64(n)
	}
	return corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(sum, resource.DecimalSI)}
}

// settle plans until nothing moved for some time. It returns the number of moves, and what a cluster got back that had failed; ends is
// false if the moves go on.
func (c *crowd) settle(t *testing.T, remember bool) (moves int, back []string, ends bool) {
	failed := map[string]map[manifest.ID]bool{}
	var last *propagate.Plan
	quiet := 0
	for range 200 {
		if !remember {
			for i, d := range c.in.Previous {
				forgetful := *d
				forgetful.Descheduled = previous.Descheduled{}
				c.in.Previous[i] = &forgetful
			}
		}
		p, err := last.Next(c.in)
		require.NoError(t, err)
		quiet++
		for cluster := range c.places {
			if failed[cluster] == nil || c.left[cluster] {
				failed[cluster] = map[manifest.ID]bool{}
			}
		}
		for i, d := range p.Decisions {
			if d.Moved {
				moves, quiet = moves+1, 0
			}
			if len(c.in.Previous) == 0 {
				continue
			}
			was, is := c.in.Previous[i].Replicas(), p.Previous()[i].Replicas()
			for cluster := range c.places {
				if is[cluster] > was[cluster] && failed[cluster][d.ID] {
					back = append(back, d.ID.Name+" on "+cluster)
				}
				if d.Moved && is[cluster] < was[cluster] {
					failed[cluster][d.ID] = true
				}
			}
		}
		if quiet == 12 {
			return moves, back, true
		}
		last = p
		c.schedule(p)
		c.measure()
	}
	return moves, back, false
}

// TestDeschedulingEnds: in a fleet with as many places as before, the moves end, and no cluster gets replicas back that it could not
// schedule. Without the memory of the decisions neither holds.
func TestDeschedulingEnds(t *testing.T) {
	moved, endless, returned := 0, 0, 0
	for seed := range uint64(300) {
		n, back, ends := newCrowd(t, seed).settle(t, true)
		require.True(t, ends, "seed %d", seed)
		require.Empty(t, back, "seed %d", seed)
		moved += n
		_, back, ends = newCrowd(t, seed).settle(t, false)
		if !ends {
			endless++
		}
		returned += len(back)
	}
	t.Log(moved, endless, returned)
	require.Greater(t, moved, 60)
	require.Greater(t, endless, 3)
	require.Greater(t, returned, 500)
}

// TestAFailedClusterGetsReplicasAgain: as soon as something changed.
func TestAFailedClusterGetsReplicasAgain(t *testing.T) {
	for name, c := range map[string]struct {
		changes  []string
		template string // of the decision before; empty for that of the manifest
		a, b     int32
		from     int
	}{
		"nothing changed":              {nil, "", 4, 5, 2},
		"more is free":                 {[]string{"pods: 20", "pods: 22"}, "", 6, 3, 1},
		"pods without a node left":     {[]string{"allocating: {pods: 2}", "allocating: {pods: 0}"}, "", 4, 5, 2},
		"less is free":                 {[]string{"pods: 20", "pods: 18"}, "", 4, 5, 2},
		"another manifest":             {nil, "another", 6, 3, 1},
		"a WorkloadRebalancer":         {[]string{"# rebalancer\n", rebalancerText}, "", 9, 0, 1},
		"no other cluster has room":    {[]string{"{replicas: 9}", "{replicas: 10}", "pods: 9", "pods: 5"}, "", 5, 5, 2},
		"the cluster that failed left": {[]string{"metadata: {name: a}", "metadata: {name: c}"}, "", 0, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReplacer(c.changes...).Replace(crowdedText)
			template := cmp.Or(c.template, plan(t, load(t, text)).Decisions[0].Template)
			p := plan(t, load(t, strings.ReplaceAll(text, "template: other", "template: "+template)))
			now := p.Previous()[0]
			require.Equal(t, [2]int32{c.a, c.b}, [2]int32{now.Replicas()["a"], now.Replicas()["b"]})
			require.Len(t, now.Descheduled.From, c.from)
			require.NotEmpty(t, p.Shares(now.ID))
		})
	}
}

const crowdedText = `
-- input --
unschedulable: [{id: {group: apps, kind: Deployment, namespace: shop, name: web}, cluster: b, replicas: 2, of: 5}]
-- previous --
- id: {group: apps, kind: Deployment, namespace: shop, name: web}
  template: other
  clusters: [{name: a, replicas: 4}, {name: b, replicas: 5}]
  descheduled: {moves: earlier, from: [{cluster: a, running: 4, room: 16}, {cluster: b, running: 3, room: 4}]}
-- objects.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 9}
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}}
-- rebalancer.yaml --
# rebalancer
-- fleet.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}, status: {resourceSummary: {allocatable: {pods: 20}, allocated: {pods: 4}, allocating: {pods: 2}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}, status: {resourceSummary: {allocatable: {pods: 9}, allocated: {pods: 5}}}}
`

const rebalancerText = `
apiVersion: apps.karmada.io/v1alpha1
kind: WorkloadRebalancer
metadata: {name: again}
spec: {workloads: [{apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}]}
`
