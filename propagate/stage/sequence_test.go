package stage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/stage"
)

func named(names ...string) []fleet.Cluster {
	var all []fleet.Cluster
	for _, n := range names {
		all = append(all, fleet.Cluster{Name: n})
	}
	return all
}

func only(names ...string) *policy.ClusterAffinity {
	return &policy.ClusterAffinity{ClusterNames: names}
}

func TestChart(t *testing.T) {
	r := &policy.Rollout{Meta: policy.Meta{Name: "r", Origin: manifest.Origin{Path: "r.yaml", Line: 1}}, Spec: policy.RolloutSpec{Stages: []policy.RolloutStage{
		{Name: "canary", ClusterAffinity: only("c", "x")},
		{Name: "rest", ClusterAffinity: &policy.ClusterAffinity{Exclude: []string{"c", "z"}}, First: []string{"d", "gone", "b"}},
	}}}
	course := stage.NewSequence(r, named("a", "b", "c", "d", "e", "f", "x", "z"), []string{"e", "b", "a", "d", "c", "x", "z", "lost", "a"})
	require.Equal(t, []string{"c"}, course.Stages[0].Clusters)
	require.Equal(t, []string{"d", "b", "a", "e"}, course.Stages[1].Clusters, "f is no target; named first, the others by name")
	require.Equal(t, []stage.Fault{
		{Cluster: "lost", At: r.Origin, Message: "cluster lost is in no stage"},
		{Cluster: "x", Stages: []string{"canary", "rest"}, At: r.Origin, Message: "cluster x is in 2 stages: canary, rest"},
		{Cluster: "z", At: r.Origin, Message: "cluster z is in no stage"},
	}, course.Faults)
}

func TestLongest(t *testing.T) {
	r := &policy.Rollout{Spec: policy.RolloutSpec{ProgressDeadline: "10m", Stages: []policy.RolloutStage{
		{Name: "canary", ClusterAffinity: only("a"), Gate: policy.RolloutGate{SoakDuration: "1h", Approval: policy.Manual}},
		{Name: "rest", ClusterAffinity: only("b", "c", "d"), MaxConcurrency: "2", ProgressDeadline: "20m", Gate: policy.RolloutGate{Windows: []policy.Window{{}}}},
		{Name: "nobody", ClusterAffinity: only("e"), Gate: policy.RolloutGate{Approval: policy.Manual}},
	}}}
	longest, unbounded := stage.Longest(stage.NewSequence(r, named("a", "b", "c", "d", "e"), []string{"a", "b", "c", "d"}))
	require.Equal(t, 10*time.Minute+time.Hour+2*20*time.Minute, longest)
	require.Equal(t, []string{"stage canary waits for approval", "stage rest waits for a window"}, unbounded)
}

func TestClaims(t *testing.T) {
	rollout := func(namespace, name string, selectors ...policy.ResourceSelector) policy.Rollout {
		return policy.Rollout{Meta: policy.Meta{Namespace: namespace, Name: name}, Spec: policy.RolloutSpec{ResourceSelectors: selectors}}
	}
	kind := policy.ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment"}
	web, labels := kind, kind
	web.Name, labels.LabelSelector = "web", labelled("tier", "front")
	claims := stage.NewPolicyIndex([]policy.Rollout{
		rollout("", "z-by-name", web), rollout("", "by-label", labels), rollout("", "by-kind", kind), rollout("", "a-by-kind-too", kind), rollout("shop", "namespaced", kind),
	})
	for _, c := range []struct{ name, namespace, object, tier, want string }{
		{"of the namespace before any cluster-wide one", "shop", "web", "front", "RolloutPolicy shop/namespaced"},
		{"by name before labels", "other", "web", "front", "RolloutPolicy z-by-name"},
		{"by labels before kind", "other", "api", "front", "RolloutPolicy by-label"},
		{"the smaller name", "other", "api", "", "RolloutPolicy a-by-kind-too"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}}
			u.SetNamespace(c.namespace)
			u.SetName(c.object)
			u.SetLabels(map[string]string{"tier": c.tier})
			require.Equal(t, c.want, claims.PolicyFor(manifest.IDOf(u), manifest.Whole(u)).Title())
		})
	}
	require.Nil(t, claims.PolicyFor(manifest.ID{Kind: "Pod"}, nil), "all at once")
}

func TestTravels(t *testing.T) {
	a, b := &policy.Rollout{Meta: policy.Meta{Name: "a"}}, &policy.Rollout{Meta: policy.Meta{Name: "b"}}
	shop := &policy.Rollout{Meta: policy.Meta{Namespace: "shop", Name: "z"}}
	require.Equal(t, a, stage.DependencyPolicy(a, nil), "its own, when nobody needs it")
	require.Equal(t, b, stage.DependencyPolicy(a, []*policy.Rollout{nil, b}), "that of who needs it")
	require.Equal(t, a, stage.DependencyPolicy(b, []*policy.Rollout{b, a}), "the first of several")
	require.Equal(t, shop, stage.DependencyPolicy(nil, []*policy.Rollout{a, shop}), "a namespaced one first")
	require.Nil(t, stage.DependencyPolicy(nil, []*policy.Rollout{nil}))
}

func TestSum(t *testing.T) {
	web, api := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, manifest.ID{Kind: "Service", Namespace: "shop", Name: "api"}
	sum := stage.Sum([]stage.Item{{web, "1"}, {api, "2"}})
	require.Len(t, sum, 32)
	require.Equal(t, sum, stage.Sum([]stage.Item{{api, "2"}, {web, "1"}}), "the order has no meaning")
	require.NotEqual(t, sum, stage.Sum([]stage.Item{{web, "1"}, {api, "3"}}))
	require.NotEqual(t, sum, stage.Sum([]stage.Item{{web, "1"}}))
	require.Empty(t, stage.Sum(nil), "nothing is there")
	require.Equal(t, "0123456789ab", stage.ShortID("sha256:0123456789abcdef"))
	require.Equal(t, "01", stage.ShortID("sha256:01"))
}
