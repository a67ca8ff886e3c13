package state

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// TestDiscovered: what clusters have counts as placed there, for the next plan and for no later one.
func TestDiscovered(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	f := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, NewRegistry(reachability.NewTracker()), nil)
	require.False(t, f.discovered.Unplanned())
	f.Discover("b", []live.Discovered{{ID: web, Replicas: new(int32(3))}})
	f.Discover("a", []live.Discovered{{ID: web, Replicas: new(int32(2))}})
	want := []*previous.Decision{{ID: web, Clusters: []previous.Cluster{{Name: "a", Replicas: new(int32(2))}, {Name: "b", Replicas: new(int32(3))}}}}
	require.True(t, f.discovered.Unplanned())
	require.Equal(t, want, f.Previous())
	require.False(t, f.discovered.Unplanned())
	require.Equal(t, want, f.Previous(), "the plan was not activated")

	f.active.plan = &propagate.Plan{}
	require.Empty(t, f.Previous(), "the active plan knows it")
	f.Discover("c", []live.Discovered{{ID: web}})
	require.Equal(t, []*previous.Decision{{ID: web, Clusters: []previous.Cluster{{Name: "c"}}}}, f.Previous(), "a cluster that answers later")
}
