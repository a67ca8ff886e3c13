package diff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/render"
)

// TestStepIsComparedAsAPlan edits a few objects of each case: the report about a plan that decides about these only is the one
// about a whole plan.
func TestStepIsComparedAsAPlan(t *testing.T) {
	steps, changes := 0, 0
	for name, text := range repositories(t) {
		random := rand.New(rand.NewPCG(uint64(len(text)), 7))
		for range 4 {
			before := loaded(t, text, nil)
			in := before.Input
			in.Objects, in.Previous = slices.Clone(in.Objects), before.Plan.Previous()
			for range random.IntN(3) {
				if len(in.Objects) > 0 {
					edited := &in.Objects[random.IntN(len(in.Objects))]
					edited.Manifest, edited.Written = manifest.Whole(edited.Manifest.Get().DeepCopy()), &render.Written{Origin: edited.Origin}
					edited.Manifest.Get().SetAnnotations(map[string]string{"n": fmt.Sprint(random.IntN(1000))})
				}
			}
			whole, err := propagate.New(in)
			require.NoError(t, err, name)
			step, err := before.Plan.Next(in)
			require.NoError(t, err, name)
			if step.StepFrom(before.Plan) {
				steps++
			}
			o := diff.Options{Prune: true, Key: []byte("of this test")}
			want, err := diff.Compare(before, diff.Side{Input: in, Plan: whole}, o)
			require.NoError(t, err, name)
			got, err := diff.Compare(before, diff.Side{Input: in, Plan: step}, o)
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
			changes += want.Totals.Objects
		}
	}
	require.Greater(t, steps, 30, "plans that decide about the changed objects only")
	require.Greater(t, changes, 30)
}
