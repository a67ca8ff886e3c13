package status

import (
	"encoding/json"
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// published is an object as the API server serves it.
func published(t *testing.T, generation int64, status any) *unstructured.Unstructured {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"apiVersion": "accord.dev/v1alpha1", "kind": "Release",
		"metadata": map[string]any{"name": "prod", "generation": generation}, "status": status,
	})
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON(raw))
	return u
}

// kstatusSays returns the conclusion of flux and cli-utils.
func kstatusSays(t *testing.T, generation int64, status any) kstatus.Status {
	t.Helper()
	result, err := kstatus.Compute(published(t, generation, status))
	require.NoError(t, err)
	return result.Status
}

// kubectlWaits is the rule of "kubectl wait --for=condition=Ready": the condition's own observedGeneration, else that of the
// status, must not be behind, and the condition must be True.
func kubectlWaits(t *testing.T, generation int64, status any) bool {
	t.Helper()
	u := published(t, generation, status)
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	require.NoError(t, err)
	for _, c := range conditions {
		c := c.(map[string]any)
		if c["type"] != "Ready" {
			continue
		}
		seen, ok := c["observedGeneration"].(int64)
		if !ok {
			seen, ok, _ = unstructured.NestedInt64(u.Object, "status", "observedGeneration")
		}
		return ok && seen < generation || c["status"] != "True"
	}
	return true
}

// wellFormed holds of every status that is written.
func wellFormed(t *testing.T, generation, observed int64, conditions []metav1.Condition) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range conditions {
		require.False(t, seen[c.Type], "%s twice", c.Type)
		seen[c.Type] = true
		require.Equal(t, generation, c.ObservedGeneration, c.Type)
		require.Regexp(t, "^[A-Z][A-Za-z]*$", c.Reason, c.Type)
		require.NotEmpty(t, c.Message, c.Type)
		require.LessOrEqual(t, len(c.Message), maxMessage, c.Type)
		require.False(t, c.LastTransitionTime.IsZero(), c.Type)
	}
	require.True(t, seen[ready])
	require.NotZero(t, observed, "left out by JSON, and then kstatus takes everything for done")
	require.LessOrEqual(t, observed, generation)
	r := meta.FindStatusCondition(conditions, ready)
	move, stuck := meta.FindStatusCondition(conditions, reconciling), meta.FindStatusCondition(conditions, stalled)
	require.False(t, move != nil && stuck != nil, "moving and stuck")
	if r.Status == metav1.ConditionTrue {
		require.Equal(t, generation, observed)
		require.Nil(t, move)
		require.Nil(t, stuck)
	}
}
