package check_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/render"
)

// TestNextReviewIsNew edits each case of this package, commit after commit: the review that follows another one finds what a new
// review finds.
func TestNextReviewIsNew(t *testing.T) {
	cases := [][]byte{[]byte(many(60, 3)), []byte(`
-- all.yaml --
{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: shop}, type: kubernetes.io/service-account-token}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: unknown}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: secrets, namespace: shop}
spec: {resourceSelectors: [{apiVersion: v1, kind: Secret}]}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}}
`)}
	for _, c := range golden.Cases(t, "testdata/*.txtar") {
		cases = append(cases, c.Text())
	}
	steps := 0
	for i, text := range cases {
		in, err := dump.Read(text)
		if err != nil || len(in.Objects) == 0 {
			continue
		}
		original := slices.Clone(in.Objects)
		random := rand.New(rand.NewPCG(uint64(i), 0))
		plan, err := propagate.New(in)
		if err != nil {
			continue
		}
		var review *check.Review
		for commit := range 60 {
			review = review.Next(in, plan)
			require.Equal(t, check.Run(in, plan, check.Deciding()...), review.Run(nil, check.Deciding()...), "%s\nafter %d commits", text, commit)
			before := in.Objects
			in.Objects, in.Previous = slices.Clone(before), plan.Previous()
			for range random.IntN(3) {
				edit(random, in, original)
			}
			next, err := plan.Next(in)
			if err != nil {
				in.Objects = before
				continue
			}
			if next.StepFrom(plan) {
				steps++
			}
			plan = next
		}
	}
	require.Greater(t, steps, 100)
}

// edit changes the content of one object, its place, or its labels, or restores it.
func edit(random *rand.Rand, in propagate.Input, original []render.Object) {
	i := random.IntN(len(in.Objects))
	o := &in.Objects[i]
	written := *o.Written
	u := o.Manifest.Get().DeepCopy()
	set := func(value any, fields ...string) { _ = unstructured.SetNestedField(u.Object, value, fields...) }
	switch random.IntN(10) {
	case 0:
		set(fmt.Sprint(random.Int()), "data", "key")
	case 1:
		set(random.Int64N(9), "spec", "replicas")
	case 2:
		unstructured.RemoveNestedField(u.Object, "spec", "replicas")
	case 3:
		set("${REPLICAS}", "spec", "replicas")
	case 4:
		set([]any{map[string]any{"name": "web", "image": []string{"web:${TAG}", "web:2"}[random.IntN(2)]}}, "spec", "template", "spec", "containers")
	case 5:
		if spec, has := u.Object["spec"].(map[string]any); has {
			if fields := slices.Sorted(maps.Keys(spec)); len(fields) > 0 {
				delete(spec, fields[random.IntN(len(fields))])
			}
		}
	case 6:
		written.Origin.Line++
	case 7:
		set("x", "metadata", "labels", "new")
	case 9:
		*o = original[i]
		return
	case 8:
		set([]string{"kubernetes.io/service-account-token", "Opaque"}[random.IntN(2)], "type")
	}
	written.Text = nil
	o.Manifest, o.Written = manifest.Whole(u), &written
}
