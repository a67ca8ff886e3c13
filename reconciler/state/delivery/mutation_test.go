package delivery

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/status"
)

var (
	webID = manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	two   = &propagate.Rendered{Digest: "d1", Body: compact.Whole([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":2}}`))}
)

// observed returns the Deployment with a number of replicas, owned by accord.
func observedWeb(t *testing.T, generation int64, replicas int) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	require.NoError(t, utiljson.Unmarshal(two.Body.Bytes(), &u.Object))
	spec, err := json.Marshal(map[string]any{"replicas": replicas})
	require.NoError(t, err)
	var parsed map[string]any
	require.NoError(t, utiljson.Unmarshal(spec, &parsed))
	u.Object["spec"] = parsed
	u.SetGeneration(generation)
	metadata := u.Object["metadata"].(map[string]any)
	metadata["managedFields"] = []any{map[string]any{
		"manager": "accord", "operation": "Apply", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:replicas": map[string]any{}}},
	}}
	return u
}

func TestDefectR10ObservedObjectsAreCompared(t *testing.T) {
	intact := live.Object{Digest: "d1", Intact: true}
	seen, fields := Base{Wanted: two}.Compare(observedWeb(t, 1, 1), intact)
	require.Equal(t, []v1alpha1.MutatedField{{Field: "spec.replicas", Applied: "2", Live: "1"}}, fields)
	require.True(t, seen.Compared && seen.Mutated)

	base := Base{Wanted: two, Before: seen, Generation: 1, Mutated: fields}
	_, kept := base.Compare(observedWeb(t, 1, 2), intact)
	require.Equal(t, fields, kept, "an object of the same generation is not compared again")
	full := base
	full.Full = true
	_, again := full.Compare(observedWeb(t, 1, 2), intact)
	require.Empty(t, again, "a full comparison compares it")
	seen, fields = base.Compare(observedWeb(t, 2, 2), intact)
	require.Empty(t, fields)
	require.True(t, seen.Compared && !seen.Mutated)
	_, fields = Base{Wanted: two, Before: seen}.Compare(observedWeb(t, 0, 1), intact)
	require.Len(t, fields, 1, "an object without a generation is always compared")

	for name, other := range map[string]live.Object{"it drifted": {Digest: "d1"}, "another version": {Digest: "d0", Intact: true}} {
		seen, fields = Base{Wanted: two}.Compare(observedWeb(t, 1, 1), other)
		require.Empty(t, fields, name)
		require.False(t, seen.Compared, name)
	}
}

// Metadata has no generation: the time of accord's entry starts the comparison.
func TestHostileApplyOfMetadata(t *testing.T) {
	base := Base{Wanted: two, Generation: 1, Before: live.Object{
		Digest: "d1", Intact: true, Accepted: live.Accepted{Digest: "d1"}, Comparison: live.Comparison{Compared: true, AppliedAt: 1},
	}}
	intact := live.Object{Digest: "d1", Intact: true, Version: 9, Accepted: live.Accepted{Digest: "d1"}, Comparison: live.Comparison{Written: 8, AppliedAt: 1}}
	seen, _ := base.Compare(observedWeb(t, 1, 1), intact)
	require.True(t, seen.Intact, "nobody applied it as accord")
	intact.AppliedAt = 2
	seen, _ = base.Compare(observedWeb(t, 1, 1), intact)
	require.True(t, seen.Overwritten)
	require.False(t, seen.Intact)
	base.Before = seen
	seen, _ = base.Compare(observedWeb(t, 1, 1), intact)
	require.True(t, seen.Overwritten, "it stays overwritten until it is repaired")
}

// A follower's findings reach the leader in the DeliveryReport.
func TestDefectR10ReportsHaveMutatedFields(t *testing.T) {
	fields := []v1alpha1.MutatedField{{Field: "spec.replicas", Applied: "2", Live: "1"}}
	follower, leader := New(&v1alpha1.Delivery{}, live.Proven{}), New(&v1alpha1.Delivery{}, live.Proven{})
	for _, l := range []*State{follower, leader} {
		l.Wants.Set(webID, wanted.Object{Digest: "d1", Object: two})
	}
	follower.Note(webID, live.Object{Digest: "d1", Intact: true, Comparison: live.Comparison{Compared: true, Mutated: true}}, fields, status.Report{Digest: "d1"})
	require.NotEmpty(t, leader.Ingest(&v1alpha1.DeliveryReport{Status: follower.reportStatus()}))
	want := []v1alpha1.MutatedField{{Object: "apps/Deployment shop/web", Field: "spec.replicas", Applied: "2", Live: "1"}}
	require.Equal(t, want, leader.MutatedFields())

	leader.Wants.Set(webID, wanted.Object{Digest: "d2"})
	require.Empty(t, leader.MutatedFields(), "of another version")
	follower.Note(webID, live.Object{Digest: "d1", Intact: true, Comparison: live.Comparison{Compared: true}}, nil, status.Report{Digest: "d1"})
	require.Len(t, leader.Ingest(&v1alpha1.DeliveryReport{Status: follower.reportStatus()}), 1, "the object changed")
	require.Empty(t, leader.Mutated)
	leader.Note(webID, live.Object{Digest: "d1"}, fields, status.Report{})
	leader.Forget(webID)
	require.Empty(t, leader.Mutated)
}

func TestMutatedObjectsAreRetriedSeldom(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	l := New(&v1alpha1.Delivery{}, live.Proven{})
	require.False(t, l.RetriesMutated(now))
	l.Note(webID, live.Object{}, []v1alpha1.MutatedField{{Field: "spec.replicas"}}, status.Report{})
	require.False(t, l.RetriesMutated(now))
	require.False(t, l.RetriesMutated(now.Add(mutatedRetry-time.Second)))
	require.True(t, l.RetriesMutated(now.Add(mutatedRetry)))
	require.False(t, l.RetriesMutated(now.Add(mutatedRetry+time.Second)))
	require.Equal(t, 10*time.Minute, mutatedRetry)
	golden.Quote(t, "../../../docs/concepts/delivery.md", "accord applies a mutated object again with the next delivery to the cluster, and every ten minutes.")
}
