package propagate_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render"
)

// fleetOf is a federation of many: five sixths Deployments, the rest ConfigMaps, an override for half of the clusters.
func fleetOf(t testing.TB, objects, clusters int) propagate.Input {
	t.Helper()
	var b strings.Builder
	b.WriteString("-- input --\nfederation: fleet/prod\n")
	for i := range objects {
		if i%1000 == 0 { // a file has at most 16 MiB
			fmt.Fprintf(&b, "-- objects%d.yaml --\n", i/1000)
		}
		if i%6 == 5 {
			fmt.Fprintf(&b, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: ns%d}, data: {a: b, c: d}}\n", i, i%20)
			continue
		}
		fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d%d, namespace: ns%d, labels: {app: d%d, team: shop}}
spec:
  replicas: 3
  selector: {matchLabels: {app: d%d}}
  template:
    metadata: {labels: {app: d%d}}
    spec:
      containers:
      - name: main
        image: registry.example.com/shop/d%d:1.0
        ports: [{containerPort: 8080, name: http}]
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
        resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {memory: 128Mi}}
        readinessProbe: {httpGet: {path: /ready, port: http}}
`, i, i%20, i, i, i, i)
	}
	b.WriteString(`-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: mirror}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
  - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [r1]}]}}
    overriders: {imageOverrider: [{component: Registry, operator: replace, value: mirror.example.com}]}
`)
	for i := range clusters {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: c%03d}, spec: {region: r%d}}\n", i, i%2)
	}
	return load(t, b.String())
}

// BenchmarkPlan makes whole plans and every cluster's objects; the figure is the time per placed object.
func BenchmarkPlan(b *testing.B) {
	for _, size := range []struct{ objects, clusters int }{{600, 10}, {1000, 100}} {
		b.Run(fmt.Sprintf("%dx%d", size.objects, size.clusters), func(b *testing.B) {
			in := fleetOf(b, size.objects, size.clusters)
			placed := 0
			for b.Loop() {
				p, err := propagate.New(in)
				require.NoError(b, err)
				placed = 0
				for _, c := range p.Clusters() {
					placed += len(p.ForCluster(c).Objects)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*placed), "ns/placed")
		})
	}
}

// BenchmarkDigest measures half of a review of two commits: a plan and all its rendered objects.
func BenchmarkDigest(b *testing.B) {
	in := fleetOf(b, 1000, 100)
	for b.Loop() {
		p, err := propagate.New(in)
		require.NoError(b, err)
		p.Digest()
	}
}

// BenchmarkNext is a push: the plan after it, its digest, and what every cluster should have.
func BenchmarkNext(b *testing.B) {
	pushes := []struct {
		name string
		edit func(in *propagate.Input, n int) []render.Span
	}{
		{"content", func(in *propagate.Input, n int) []render.Span {
			in.Objects[(n+6)%6] = annotated(in.Objects[(n+6)%6], n)
			return []render.Span{{At: (n + 6) % 6, Out: 1, In: 1}}
		}},
		{"object", func(in *propagate.Input, n int) []render.Span { // added, then removed
			last := len(in.Objects) - 1
			if in.Objects[last].Manifest.Get().GetName() == "more" {
				in.Objects = in.Objects[:last]
				return []render.Span{{At: last, Out: 1}}
			}
			more := in.Objects[0].Manifest.Get().DeepCopy()
			more.SetName("more")
			in.Objects = append(in.Objects, render.Object{Manifest: manifest.Whole(more), Written: &render.Written{Origin: in.Objects[0].Origin}})
			return []render.Span{{At: last + 1, In: 1}}
		}},
		{"policy", func(in *propagate.Input, n int) []render.Span { // of one object
			one := &policy.Policy{Meta: policy.Meta{Namespace: in.Objects[0].Manifest.Get().GetNamespace(), Name: "one"}}
			one.Spec.Priority = ptr.To(int32(n))
			one.Spec.SchedulerName = policy.DefaultScheduler
			one.Spec.ResourceSelectors = []policy.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment", Name: in.Objects[0].Manifest.Get().GetName()}}
			in.Policies = append(slices.DeleteFunc(slices.Clone(in.Policies), func(p *policy.Policy) bool { return p.Name == "one" }), one)
			return nil
		}},
	}
	for _, p := range pushes {
		b.Run("6000x2, policy each/"+p.name, func(b *testing.B) { push(b, policyEach(b, 6000), p.edit) })
	}
	for _, size := range []struct{ objects, clusters int }{{600, 10}, {6000, 2}, {60000, 1}} {
		for _, p := range pushes {
			b.Run(fmt.Sprintf("%dx%d/%s", size.objects, size.clusters, p.name), func(b *testing.B) {
				push(b, fleetOf(b, size.objects, size.clusters), p.edit)
			})
		}
	}
}

func annotated(o render.Object, n int) render.Object {
	o.Manifest, o.Written = manifest.Whole(o.Manifest.Get().DeepCopy()), &render.Written{Origin: o.Origin, Text: o.Text}
	o.Manifest.Get().SetAnnotations(map[string]string{"n": strconv.Itoa(n)})
	return o
}

func push(b *testing.B, in propagate.Input, edit func(in *propagate.Input, n int) []render.Span) {
	b.Helper()
	b.ReportAllocs()
	last, err := propagate.New(in)
	require.NoError(b, err)
	last.Digest()
	steps := 0
	for n := -2; n < b.N; n++ {
		if n == 0 {
			b.ResetTimer() // two pushes after a start settle what the plan before decided
		}
		before := in.Objects
		in.Objects, in.Previous = slices.Clone(in.Objects), last.Previous()
		spans := edit(&in, n)
		in.Edits = render.Edits{Before: before, After: in.Objects, Spans: spans}
		p, err := last.Next(in)
		require.NoError(b, err)
		p.Digest()
		for _, c := range p.Clusters() {
			p.ClusterDigest(c)
		}
		if step, _ := propagate.IsStep(p); step {
			steps++
		}
		last = p
	}
	require.GreaterOrEqual(b, steps, b.N)
}

// BenchmarkPolicies makes plans of repositories in which every third object has a policy and an override of its own, which name it. The
// figure is the time per object: it has to stay as the repository grows.
func BenchmarkPolicies(b *testing.B) {
	for _, objects := range []int{600, 6000} {
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			in := policyEach(b, objects)
			for b.Loop() {
				p, err := propagate.New(in)
				require.NoError(b, err)
				require.Len(b, p.Decisions, objects)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(objects), "ns/object")
		})
	}
}

// policyEach returns a repository with a policy and an override for every third object, and cluster-wide ones for all objects.
func policyEach(t testing.TB, objects int) propagate.Input {
	t.Helper()
	in := fleetOf(t, objects, 2)
	for i := 0; i < objects; i += 3 {
		u := in.Objects[i].Manifest.Get()
		selectors := []policy.ResourceSelector{{APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}}
		name := fmt.Sprint("only-", u.GetName())
		own := *in.Policies[0]
		own.Name, own.Spec.ResourceSelectors = name, selectors
		in.Policies = append(in.Policies, &own)
		override := *in.Overrides[0]
		override.Name, override.Spec.ResourceSelectors = name, selectors
		in.Overrides = append(in.Overrides, &override)
	}
	return in
}
