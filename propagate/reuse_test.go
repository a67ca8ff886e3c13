package propagate_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/render"
)

// history is a repository that is edited again and again.
type history struct {
	random *rand.Rand
	tree   fstest.MapFS
	memory render.Cache
	sorter decode.Sorter
	list   []render.Object // of the build before
	apart  bool            // no policy relates objects to each other
	// tasks are the evictions, replaced with every change.
	tasks map[manifest.ID][]v1alpha1.GracefulEvictionTask
	// stuck are the replicas that the descheduler may move, replaced with every change.
	stuck []deschedule.Copy
}

// deschedule finds unschedulable replicas of random objects of the last plan, which may be nil.
func (h *history) deschedule(last *propagate.Plan) {
	if h.stuck = nil; last == nil {
		return
	}
	for _, d := range last.Previous() {
		for _, c := range d.Clusters {
			if c.Replicas != nil && *c.Replicas > 0 && h.random.IntN(2) == 0 {
				h.stuck = append(h.stuck, deschedule.Copy{ID: d.ID, Cluster: c.Name, Replicas: 1 + h.random.Int32N(3), Of: *c.Replicas})
			}
		}
	}
}

// evict begins, completes or forgets an eviction of a random object.
func (h *history) evict(objects []render.Object) {
	if len(objects) == 0 {
		return
	}
	h.tasks = maps.Clone(h.tasks)
	if h.tasks == nil {
		h.tasks = map[manifest.ID][]v1alpha1.GracefulEvictionTask{}
	}
	id, cluster := pick(h.random, objects...).ID(), pick(h.random, "a", "b", "c", "k")
	tasks := slices.DeleteFunc(slices.Clone(h.tasks[id]), func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == cluster })
	if h.random.IntN(4) > 0 {
		at := metav1.Unix(1790000000+h.random.Int64N(3), 0)
		task := v1alpha1.GracefulEvictionTask{
			FromCluster: cluster, CreationTimestamp: at, Reason: "TaintUntolerated",
			PurgeMode: pick(h.random, v1alpha1.PurgeGracefully, v1alpha1.PurgeDirectly, v1alpha1.PurgeNever),
		}
		task.ClustersBeforeFailover = pick(h.random, []string{cluster}, []string{"a", "b", "c"})
		if h.random.IntN(2) == 0 {
			task.Replicas = new(h.random.Int32N(4))
		}
		if h.random.IntN(2) == 0 {
			task.PreservedLabelState = map[string]string{"state": pick(h.random, "x", "y")}
		}
		if h.random.IntN(3) == 0 {
			task.CompletionTimestamp, task.Cancelled = &at, h.random.IntN(3) == 0
		}
		tasks = append(tasks, task)
	}
	if h.tasks[id] = tasks; len(tasks) == 0 {
		delete(h.tasks, id)
	}
}

// related is the fields of a policy that relate objects to each other.
var related = regexp.MustCompile(`, propagateDeps: true|workloadAffinity: \{\w+: \{[^}]*\}\}`)

// put stores a manifest.
func (h *history) put(name, text string) {
	if h.apart {
		text = related.ReplaceAllString(text, "")
	}
	h.tree[name] = &fstest.MapFile{Data: []byte(text)}
}

// tweaked is an annotation that a tweak left.
var tweaked = regexp.MustCompile(`annotations: \{n: "\d+"\}, `)

// tweak changes the content of one manifest, and of nothing else.
func (h *history) tweak() {
	name := pick(h.random, slices.Sorted(maps.Keys(h.tree))...)
	text := tweaked.ReplaceAllString(string(h.tree[name].Data), "")
	if h.random.IntN(4) > 0 {
		text = strings.Replace(text, "metadata: {", fmt.Sprintf("metadata: {annotations: {n: %q}, ", fmt.Sprint(h.random.IntN(100))), 1)
	}
	if h.random.IntN(4) == 0 {
		text = strings.Replace(text, "replicas: ", "replicas: 1", 1)
	}
	h.put(name, text)
}

// edit replaces, adds or removes a few manifests, and sometimes none.
func (h *history) edit() {
	switch h.random.IntN(4) {
	case 0:
		for range h.random.IntN(3) {
			h.tweak()
		}
		return
	case 1, 2:
		text := h.small()
		name := identity.FindString(text) + ".yaml" // another manifest of the same object replaces it
		if h.put(name, text); h.random.IntN(4) == 0 {
			delete(h.tree, name)
		}
		return
	}
	for range h.random.IntN(3) {
		name := fmt.Sprintf("%d.yaml", h.random.IntN(30))
		if h.random.IntN(4) == 0 {
			delete(h.tree, name)
			continue
		}
		h.put(name, h.manifest())
	}
}

// identity is the kind, the name and the namespace of a manifest by small.
var identity = regexp.MustCompile(`kind: \w+, metadata: \{name: \S+( namespace: \w+)?`)

// small is a manifest that concerns few others, or none.
func (h *history) small() string {
	namespace, name := pick(h.random, "x", "y", "w"), fmt.Sprintf("c%d", h.random.IntN(4))
	selector := pick(h.random, "name: "+name, "labelSelector: {matchLabels: {rack: r1}}")
	return pick(h.random,
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+", namespace: "+namespace+", labels: {rack: "+pick(h.random, "r0", "r1")+"}}}",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+", namespace: "+namespace+"}, data: {a: "+pick(h.random, "b", "c")+"}}",
		"{apiVersion: v1, kind: Namespace, metadata: {name: "+namespace+"}}",
		"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: "+namespace+"}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d4-"+name+"}}}",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: d4-"+name+", namespace: "+namespace+"}, spec: {replicas: 4, template: {spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: "+name+"}}]}]}}}}",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: "+name+", namespace: "+namespace+"}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap, "+selector+"}], placement: {"+
			pick(h.random, "clusterAffinity: {clusterNames: [a, b]}", "clusterAffinity: {exclude: [a]}", "")+"}"+pick(h.random, "", ", suspension: {dispatching: true}", ", preserveResourcesOnDeletion: true")+"}}",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: d"+name+", namespace: "+namespace+"}, spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}], placement: {clusterAffinity: {clusterNames: [a, c]}}"+
			pick(h.random, "", ", propagateDeps: true")+"}}",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: "+name+", namespace: "+namespace+"}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap, "+selector+"}], overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {l: "+pick(h.random, "v", "w")+"}}]}}]}}",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterOverridePolicy, metadata: {name: s"+name+"}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap, namespace: "+namespace+", "+selector+"}], overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {rack: "+pick(h.random, "r0", "r1")+"}}]}}]}}",
	)
}

// manifest is any of what a random case has, or something that others depend on.
func (h *history) manifest() string {
	more := []string{
		"{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: x}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d3-1}}}",
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gs.e.io}, spec: {group: e.io, scope: " + pick(h.random, "Cluster", "Namespaced") + ", names: {kind: G}}}",
		"{apiVersion: e.io/v1, kind: G, metadata: {name: g}}", "{apiVersion: e.io/v1, kind: G, metadata: {name: g2}}",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: d3-1, namespace: x}, spec: {replicas: 3}}",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: d3-1, namespace: x}, spec: {replicas: 3}}",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: apps}, spec: {priority: 9, resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}], placement: {replicaScheduling: {}}}}",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterOverridePolicy, metadata: {name: o0}, spec: {overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {l0: " + pick(h.random, "v", "w") + "}}]}}]}}",
		"{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: k}, spec: {region: eu}, status: {apiEnablements: [{groupVersion: v1, resources: [{name: configmaps, kind: ConfigMap}]}, {groupVersion: apps/v1, resources: [{name: deployments, kind: Deployment}]}, {groupVersion: apiextensions.k8s.io/v1, resources: [{name: customresourcedefinitions, kind: CustomResourceDefinition}]}], conditions: [{type: CompleteAPIEnablements, status: \"True\", reason: Complete, message: m, lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}}",
		"{apiVersion: v1, kind: Namespace, metadata: {name: x, labels: {l: v}}}",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: crds}, spec: {resourceSelectors: [{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}, {apiVersion: e.io/v1, kind: G}]}}",
		"{apiVersion: apps.karmada.io/v1alpha1, kind: WorkloadRebalancer, metadata: {name: " + pick(h.random, "r", "s") + "}, spec: {workloads: [{apiVersion: apps/v1, kind: Deployment, namespace: x, name: d3-1}]}}",
	}
	if h.random.IntN(2) == 0 {
		return pick(h.random, more...)
	}
	all := strings.Split(randomCase(h.random), "---\n")
	return all[h.random.IntN(len(all)-1)+1]
}

// input returns the input of the repository as it is now; ok is false for a mistake, such as an object that is there twice.
func (h *history) input() (in propagate.Input, ok bool) {
	objects, err := h.memory.Build(h.tree, render.Options{})
	edits := editsOf(h.list, objects)
	h.list = objects
	if err != nil {
		return in, false
	}
	sorter := &h.sorter
	if h.random.IntN(4) == 0 {
		sorter = &decode.Sorter{} // policies that are equal to those before are others then
	}
	parts, err := sorter.Next(objects, edits)
	if err != nil {
		return in, false
	}
	in = parts.Input()
	in.Federation = "fleet/prod"
	if h.random.IntN(3) == 0 {
		h.evict(in.Objects)
	}
	in.Evictions, in.Unschedulable = h.tasks, h.stuck
	if h.random.IntN(10) == 0 {
		in.Skip.Namespaces = []string{"y"}
	}
	return in, true
}

// editsOf returns the differences between two lists of objects, as a build has them.
func editsOf(before, after []render.Object) render.Edits {
	e := render.Edits{Before: before, After: after}
	for i, at := 0, 0; i < len(before) || at < len(after); {
		out, in := len(before)-i, len(after)-at
		for n, o := range before[i:] {
			if next := slices.IndexFunc(after[at:], func(x render.Object) bool { return x.Manifest == o.Manifest && x.Origin == o.Origin }); next >= 0 {
				out, in = n, next
				break
			}
		}
		if out+in > 0 {
			e.Spans = append(e.Spans, render.Span{At: i, Out: out, In: in})
		}
		i, at = i+out+1, at+in+1
	}
	return e
}

// TestNextIsNew: over random histories, a plan that is made with the one before it is the plan that is made from nothing, in every
// decision and every byte.
func TestNextIsNew(t *testing.T) {
	kept, steps, aparts, evicted, moved, edited := 0, 0, 0, 0, 0, 0
	for seed := range uint64(120) {
		h := &history{random: rand.New(rand.NewPCG(seed, 3)), tree: fstest.MapFS{}, memory: *render.NewCompactCache(&compact.Texts{}), apart: seed%2 == 0}
		for i, text := range strings.Split(randomCase(h.random), "---\n")[1:] {
			h.put(fmt.Sprintf("%d.yaml", i), text)
		}
		var last *propagate.Plan
		for step := range 25 {
			h.edit()
			if h.random.IntN(3) == 0 {
				h.deschedule(last)
			}
			in, ok := h.input()
			if !ok {
				continue
			}
			if last != nil && h.random.IntN(5) > 0 {
				in.Previous = last.Previous()
			}
			want, wantErr := propagate.New(in)
			got, err := last.Next(in)
			require.Equal(t, wantErr, err)
			if in.Edits.After != nil {
				edited++
			}
			if err != nil {
				continue
			}
			where := fmt.Sprintf("seed %d step %d", seed, step)
			requireSame(t, want, got, h.random.IntN(2) == 0, where)
			kept += shared(last, got)
			for _, d := range got.Decisions {
				if d.Moved {
					moved++
				}
			}
			for _, c := range got.Clusters() {
				evicted += len(got.Evicted(c))
			}
			switch step, apart := propagate.IsStep(got); {
			case apart:
				aparts++
			case step:
				steps++
			}
			last = got
		}
	}
	require.Greater(t, aparts, 100, "plans that decide about changed objects, none of which concerns others")
	require.Greater(t, steps, 100, "plans that decide about the objects that a change concerns")
	require.Greater(t, edited, 100, "inputs that say where the objects differ")
	require.Greater(t, evicted, 100, "old copies that an eviction deletes")
	t.Log(aparts, steps, kept, evicted, moved)
	require.Greater(t, moved, 5, "decisions that move unschedulable replicas")
	require.Greater(t, kept, 400, "of objects that did not change, what was rendered is taken over")
}

// requireSame compares two plans in everything that they say.
func requireSame(t *testing.T, want, got *propagate.Plan, digestFirst bool, where string) {
	t.Helper()
	if digestFirst {
		require.Equal(t, want.Digest(), got.Digest(), where)
	}
	require.Equal(t, want.Decisions, got.Decisions, where)
	require.Equal(t, want.Clusters(), got.Clusters(), where)
	for _, c := range want.Clusters() {
		require.Equal(t, want.ForCluster(c), got.ForCluster(c), where)
		require.Equal(t, want.ClusterDigest(c), got.ClusterDigest(c), where)
	}
	require.Equal(t, want.Digest(), got.Digest(), where)
	require.Equal(t, want.Previous(), got.Previous(), where)
	require.Equal(t, want.NeedsRoom(), got.NeedsRoom(), where)
	require.Equal(t, want.Recoveries, got.Recoveries, where)
	require.Equal(t, want.Taints(), got.Taints(), where)
	for _, c := range want.Clusters() {
		require.Equal(t, want.Evicted(c), got.Evicted(c), where)
	}
	for i := range want.Decisions {
		id := want.Decisions[i].ID
		require.Equal(t, want.TakesOver(i), got.TakesOver(i), where)
		require.Equal(t, want.PoliciesSelecting(id), got.PoliciesSelecting(id), where)
		for _, c := range want.Clusters() {
			require.Equal(t, want.KeepReason(c, id, nil), got.KeepReason(c, id, nil), where)
		}
	}
}

// shared counts the finished objects that two plans have in common.
func shared(a, b *propagate.Plan) int {
	if a == nil {
		return 0
	}
	n := 0
	for _, c := range b.Clusters() {
		before := map[manifest.ID]*propagate.Rendered{}
		for _, o := range a.ForCluster(c).Objects {
			before[o.ID] = o.Rendered
		}
		n += len(slices.DeleteFunc(slices.Clone(b.ForCluster(c).Objects), func(o propagate.Placed) bool { return before[o.ID] != o.Rendered }))
	}
	return n
}

func TestAStepKeepsTheRecoveryPlans(t *testing.T) {
	in := fleetOf(t, 60, 2)
	in.Recoveries = []policy.Recovery{{Meta: policy.Meta{Name: "site"}}}
	p, err := propagate.New(in)
	require.NoError(t, err)
	for n := range 3 {
		in.Objects, in.Previous = slices.Clone(in.Objects), p.Previous()
		in.Objects[0] = annotated(in.Objects[0], n)
		p, err = p.Next(in)
		require.NoError(t, err)
	}
	step, _ := propagate.IsStep(p)
	require.True(t, step)
	require.Equal(t, in.Recoveries, p.Recoveries)
}
