package apply

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// TestAnObjectThatWasNotComparedIsNoDrift: after a restart, the watch may show an object of the newest plan while the plan
// before is wanted. Nothing is known of its fields then.
func TestAnObjectThatWasNotComparedIsNoDrift(t *testing.T) {
	id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "c"}
	want := propagate.ClusterPlan{Objects: []propagate.Placed{{Rendered: &propagate.Rendered{ID: id, Digest: "d"}}}}
	drifts := func(seen live.Object) *live.Drift {
		objects := &live.Objects{}
		seen.Fields = ownership.Hash{1}
		objects.Put(id, seen)
		d, err := newDelivery(&clusters.Member{}, "demo/prod", want, objects, nil, Options{})
		require.NoError(t, err)
		d.compare()
		require.Len(t, d.tasks, 1, "it is applied")
		return d.tasks[0].drift
	}
	require.Nil(t, drifts(live.Object{Digest: "d"}))
	require.NotNil(t, drifts(live.Object{Digest: "d", ChangedFields: "data.key"}))
	require.Nil(t, drifts(live.Object{Digest: "d", Intact: true, Comparison: live.Comparison{Mutated: true, Written: 1}}), "a delivery applies a mutated object again")
}
