package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/render"
)

// many is a federation of a thousand objects in twenty namespaces, with a policy for each namespace, overrides that differ by region, and a
// hundred clusters.
func many(objects, clusters int) string {
	var b strings.Builder
	b.WriteString("-- all.yaml --\n")
	for i := range objects {
		if i%6 == 5 {
			fmt.Fprintf(&b, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: ns%d}, data: {a: b}}\n", i, i%20)
			continue
		}
		fmt.Fprintf(&b, `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d%d, namespace: ns%d, labels: {app: d%d}}
spec:
  replicas: 3
  template:
    metadata: {labels: {app: d%d}}
    spec:
      initContainers: [{name: init, image: "registry.example.com/init:1"}]
      containers: [{name: main, image: "registry.example.com/shop/d%d:1.0", env: [{name: A, value: "1"}]}]
`, i, i%20, i, i, i)
	}
	for i := range 20 {
		fmt.Fprintf(&b, `---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: all, namespace: ns%d}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: region, namespace: ns%d}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
  - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [r1]}]}}
    overriders:
      imageOverrider: [{component: Registry, operator: replace, value: mirror.example.com}]
      plaintext: [{path: /metadata/annotations, operator: add, value: {region: r1}}]
`, i, i)
	}
	for i := range clusters {
		fmt.Fprintf(&b, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: c%03d}, spec: {region: r%d}}\n", i, i%4)
	}
	return b.String()
}

// BenchmarkRun is what the checks cost beside the plan that they look at, which is made and rendered outside of the clock.
func BenchmarkRun(b *testing.B) {
	in, err := dump.Read([]byte(many(1000, 100)))
	require.NoError(b, err)
	for _, c := range []struct {
		name   string
		checks []check.Check
	}{{"all", check.All()}, {"deciding", check.Deciding()}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				plan, err := propagate.New(in)
				require.NoError(b, err)
				plan.Digest()
				b.StartTimer()
				check.Run(in, plan, c.checks...)
			}
		})
	}
}

// BenchmarkPlan is the figure to compare with.
func BenchmarkPlan(b *testing.B) {
	in, err := dump.Read([]byte(many(1000, 100)))
	require.NoError(b, err)
	for b.Loop() {
		plan, err := propagate.New(in)
		require.NoError(b, err)
		plan.Digest()
	}
}

// BenchmarkNext is the cost of the review of a commit that changes one object of six thousand, beside that of a new review.
func BenchmarkNext(b *testing.B) {
	in, err := dump.Read([]byte(many(6000, 2)))
	require.NoError(b, err)
	plan, err := propagate.New(in)
	require.NoError(b, err)
	var review *check.Review
	for range 2 { // the second plan finds all decisions as they were
		in.Previous = plan.Previous()
		plan, err = plan.Next(in)
		require.NoError(b, err)
		review = review.Next(in, plan)
		review.Run(nil, check.Deciding()...)
	}
	changed := in
	changed.Objects, changed.Previous = slices.Clone(in.Objects), plan.Previous()
	changed.Objects[0] = render.Object{Manifest: manifest.Whole(in.Objects[0].Manifest.Get().DeepCopy()), Written: &render.Written{Origin: in.Objects[0].Origin}}
	changed.Objects[0].Manifest.Get().SetAnnotations(map[string]string{"a": "b"})
	next, err := plan.Next(changed)
	require.NoError(b, err)
	require.True(b, next.StepFrom(plan))
	for _, c := range []struct {
		name string
		last *check.Review
	}{{"next", review}, {"new", nil}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := c.last.Next(changed, next)
				r.Run(nil, check.Deciding()...)
				r.Run(check.OutcomesSince(next, plan), check.BlockingChecks()...)
			}
		})
	}
}
