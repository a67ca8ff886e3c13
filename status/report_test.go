package status

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind"
)

func live(kind string, metadata, status map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": kind, "metadata": metadata}}
	if status != nil {
		u.Object["status"] = status
	}
	return u
}

// observe asks what is built in.
func observe(u *unstructured.Unstructured) Report {
	return Observe(u, kind.Of(u.GroupVersionKind().GroupKind()))
}

func TestObserve(t *testing.T) {
	meta := func() map[string]any {
		return map[string]any{"uid": "u1", "generation": int64(2), "annotations": map[string]any{"accord.dev/digest": "new"}}
	}
	t.Run("a deployment that nobody has looked at is not observed", func(t *testing.T) {
		r := observe(live("Deployment", meta(), nil))
		require.Equal(t, "new", r.Digest)
		require.False(t, Cell{Want: "new", Report: &r}.Observed())
		require.Equal(t, kind.Progressing, r.Health)
	})
	t.Run("observed and available", func(t *testing.T) {
		r := observe(live("Deployment", meta(), map[string]any{"observedGeneration": int64(2), "replicas": int64(1), "updatedReplicas": int64(1), "availableReplicas": int64(1)}))
		require.Equal(t, Report{
			Digest: "new", Generation: 2, ObservedGeneration: 2, Observes: true, Health: kind.Healthy, Message: "1 of 1 available",
			Status: Reflect(map[string]any{"replicas": int64(1), "updatedReplicas": int64(1), "availableReplicas": int64(1)}),
		}, r)
	})
	t.Run("a kind without observedGeneration is observed when it is there", func(t *testing.T) {
		r := observe(live("Widget", meta(), nil))
		require.False(t, r.Observes)
		require.True(t, Cell{Want: "new", Report: &r}.Observed())
	})
	t.Run("messages are short, and cut between characters", func(t *testing.T) {
		r := observe(live("Widget", meta(), map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": "False", "message": strings.Repeat("ü", 500)},
		}}))
		require.LessOrEqual(t, len(r.Message), maxSentence)
		require.True(t, strings.HasSuffix(r.Message, "ü..."))
	})
}
