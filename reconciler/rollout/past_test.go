package rollout

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

// TestTheVersionOfAnEvictedObject comes from the active plan, or from a plan of its revision that is made once.
func TestTheVersionOfAnEvictedObject(t *testing.T) {
	f := state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "prod"}}, state.NewRegistry(reachability.NewTracker()), fingerprint.New(nil, true))
	older, err := propagate.New(propagate.Input{})
	require.NoError(t, err)
	var made []string
	past := NewPast(func(_ context.Context, _ *state.Federation, _ *propagate.Plan, revision string) (*propagate.Plan, error) {
		made = append(made, revision)
		return older, nil
	})
	none, err := past.Moved(t.Context(), f, nil, "main@2", "")
	require.NoError(t, err)
	require.Nil(t, none)
	for range 2 {
		got, err := past.Moved(t.Context(), f, nil, "main@2", "main@1")
		require.NoError(t, err)
		require.Same(t, older, got)
	}
	require.Equal(t, []string{"main@1"}, made)
	kept, _ := f.PastPlan("main@1")
	require.Nil(t, kept, "it has other versions of the clusters than the plan that was active")

	active, err := propagate.New(propagate.Input{})
	require.NoError(t, err)
	got, err := past.Moved(t.Context(), f, active, "main@2", "main@2")
	require.NoError(t, err)
	require.Same(t, active, got)
	_, err = NewPast(nil).Moved(t.Context(), f, nil, "main@3", "main@0")
	require.EqualError(t, err, "there are no sources to plan from")
}
