package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/render"
)

// TestPersistingAStepIsPersistingThePlan: whatever the pushes change, comparing the changed decisions with the hub writes
// the same records as comparing all of them, and the Release counts the same objects.
func TestPersistingAStepIsPersistingThePlan(t *testing.T) {
	const objects = 80
	text := "-- input --\nfederation: demo/prod\n-- all.yaml --\n"
	for i := range objects {
		text += fmt.Sprintf("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%02d, namespace: shop, labels: {chosen: \"yes\"}}, data: {v: \"1\"}}\n", i)
	}
	text += "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p, namespace: shop}, " +
		"spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {chosen: \"yes\"}}}]}}\n" +
		"---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: asia}}\n" +
		"---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}}\n"
	in, err := dump.Read([]byte(text))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	plan, err := propagate.New(in)
	require.NoError(t, err)
	step, full := &pushes{persisted: persistTo(t)}, &pushes{persisted: persistTo(t), whole: true}
	steps := 0
	for i := range 60 {
		step.push(plan, fmt.Sprint(i))
		full.push(plan, fmt.Sprint(i))
		where := fmt.Sprintf("push %d", i)
		require.Equal(t, full.stored(), step.stored(), where)
		of, _ := full.f.ReleaseStatus()
		got, _ := step.f.ReleaseStatus()
		require.Equal(t, of.Objects, got.Objects, where)
		require.Equal(t, of.Summary, got.Summary, where)
		require.Equal(t, record.Summary{}.Of(plan).Objects, len(step.stored()), where)

		in.Previous = plan.Previous()
		last := plan
		plan, err = plan.Next(edited(t, random, &in))
		require.NoError(t, err)
		if plan.StepFrom(last) {
			steps++
		}
	}
	require.Greater(t, steps, 10, "the same objects")
	require.Less(t, steps, 50)
}

// edited changes a few objects of an input: their content, whether the policy selects them, or whether they exist.
func edited(t *testing.T, random *rand.Rand, in *propagate.Input) propagate.Input {
	in.Objects = slices.Clone(in.Objects)
	for range random.IntN(3) {
		at := random.IntN(len(in.Objects))
		u := in.Objects[at].Manifest.Get().DeepCopy()
		switch random.IntN(6) {
		case 0:
			require.NoError(t, unstructured.SetNestedField(u.Object, []string{"yes", "no"}[random.IntN(2)], "metadata", "labels", "chosen"))
		case 1:
			in.Objects = slices.Delete(in.Objects, at, at+1)
			continue
		case 2:
			u.SetName(fmt.Sprint("added-", random.Uint64()))
			in.Objects = append(in.Objects, render.Object{Manifest: manifest.Whole(u), Written: &render.Written{Origin: in.Objects[at].Origin}})
			continue
		default:
			require.NoError(t, unstructured.SetNestedField(u.Object, fmt.Sprint(random.IntN(3)), "data", "v"))
		}
		in.Objects[at] = render.Object{Manifest: manifest.Whole(u), Written: &render.Written{Origin: in.Objects[at].Origin}}
	}
	return *in
}

// stored returns the FederatedObjects of the store, without the times in their status.
func (p *pushes) stored() map[manifest.ID]v1alpha1.FederatedObject {
	list := &v1alpha1.FederatedObjectList{}
	require.NoError(p, p.store.List(p.Context(), list, "demo", "prod"))
	all := map[manifest.ID]v1alpha1.FederatedObject{}
	for _, o := range list.Items {
		for i := range o.Status.Conditions {
			o.Status.Conditions[i].LastTransitionTime.Time = time.Time{}
		}
		all[o.Spec.Template.ID()] = o
	}
	return all
}
