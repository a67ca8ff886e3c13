package reconciler

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// TestFinds: what clusters have counts as placed there, for the next plan and for no later one.
func TestFinds(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	f := &federation{key: types.NamespacedName{Namespace: "demo", Name: "prod"}, declaration: &v1alpha1.Federation{}}
	require.False(t, f.unplanned())
	f.finds = map[string]*find{
		"b": {objects: []live.Discovered{{ID: web, Replicas: new(int32(3))}}},
		"a": {objects: []live.Discovered{{ID: web, Replicas: new(int32(2))}}},
	}
	want := []propagate.Previous{{ID: web, Clusters: []propagate.PreviousCluster{{Name: "a", Replicas: new(int32(2))}, {Name: "b", Replicas: new(int32(3))}}}}
	require.True(t, f.unplanned())
	require.Equal(t, want, f.previous())
	require.False(t, f.unplanned())
	require.Equal(t, want, f.previous(), "the plan was not put in force")

	f.plan = &propagate.Plan{}
	require.Empty(t, f.previous(), "the plan in force knows it")
	f.finds["c"] = &find{objects: []live.Discovered{{ID: web}}}
	require.Equal(t, []propagate.Previous{{ID: web, Clusters: []propagate.PreviousCluster{{Name: "c"}}}}, f.previous(), "a cluster that answers later")
}
