package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
)

func TestFrom(t *testing.T) {
	declared := v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "eu", Labels: map[string]string{"tier": "prod", v1alpha1.SourceLabel: "fleet.prod"}},
		Spec: v1alpha1.ClusterSpec{
			Provider: "p", Region: "r", Zone: "z", Taints: []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule}},
		},
	}
	origin := manifest.Origin{Path: "c.yaml", Line: 3}
	require.Equal(t, fleet.Cluster{
		Name: "eu", Labels: map[string]string{"tier": "prod"}, Provider: "p", Region: "r", Zones: []string{"z"},
		Taints: declared.Spec.Taints, Origin: origin,
	}, fleet.From(declared, origin))
	require.Contains(t, declared.Labels, v1alpha1.SourceLabel, "the object is left alone")

	declared.Spec.Zone, declared.Spec.Zones = "", []string{"a", "b"}
	require.Equal(t, []string{"a", "b"}, fleet.From(declared, origin).Zones)
}

func TestFromStatus(t *testing.T) {
	quantity := resource.MustParse
	declared := v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "eu", DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}},
		Spec: v1alpha1.ClusterSpec{
			Taints: []corev1.Taint{{Key: "a", Value: "mine", Effect: corev1.TaintEffectNoSchedule}},
			ResourceModels: []v1alpha1.ResourceModel{
				{Grade: 1, Ranges: []v1alpha1.ResourceModelRange{{Name: "cpu", Min: quantity("2"), Max: quantity("4")}}},
				{Grade: 0, Ranges: []v1alpha1.ResourceModelRange{{Name: "cpu", Min: quantity("1"), Max: quantity("2")}}},
			},
		},
		Status: v1alpha1.ClusterStatus{
			Conditions: []metav1.Condition{{Type: "Ready", Status: "False"}, {Type: v1alpha1.CompleteAPIEnablements, Status: "True"}},
			Taints: []corev1.Taint{
				{Key: "a", Value: "theirs", Effect: corev1.TaintEffectNoSchedule}, {Key: "a", Effect: corev1.TaintEffectNoExecute},
			},
			APIEnablements: []v1alpha1.APIEnablement{{GroupVersion: "apps/v1", Resources: []v1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}}},
			ResourceSummary: &v1alpha1.ResourceSummary{
				Allocatable: corev1.ResourceList{"cpu": quantity("16")}, Allocating: corev1.ResourceList{"cpu": quantity("1")},
				Allocated: corev1.ResourceList{"cpu": quantity("2")}, AllocatableModelings: []v1alpha1.AllocatableModeling{{Grade: 1, Count: 3}},
			},
		},
	}
	got := fleet.From(declared, manifest.Origin{})
	require.True(t, got.Leaving)
	require.Equal(t, map[string]string{"Ready": "False", v1alpha1.CompleteAPIEnablements: "True"}, got.Conditions)
	require.Equal(t, []corev1.Taint{declared.Spec.Taints[0], declared.Status.Taints[1]}, got.Taints, "what a person wrote comes first")
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	require.Equal(t, &fleet.APIs{Complete: true, Served: map[schema.GroupVersionKind]bool{deployment: true}}, got.APIs)
	require.Equal(t, &fleet.Resources{
		Allocatable: corev1.ResourceList{"cpu": quantity("16")}, Allocating: corev1.ResourceList{"cpu": quantity("1")},
		Allocated: corev1.ResourceList{"cpu": quantity("2")}, Nodes: map[uint32]int64{1: 3},
	}, got.Resources)
	require.Len(t, got.Models, 2)
	require.EqualValues(t, 0, got.Models[0].Grade, "sorted by grade")
	require.True(t, got.Models[0].Min.Cpu().IsZero(), "the first grade reaches down to 0")
	require.Equal(t, "2", got.Models[1].Min.Cpu().String())
}

func TestModelsFrom(t *testing.T) {
	modelled := v1alpha1.ResourceSummary{AllocatableModelings: []v1alpha1.AllocatableModeling{{Grade: 2, Count: 1}}}
	byDefault := modelled
	byDefault.DefaultModels = true
	for name, c := range map[string]struct {
		summary *v1alpha1.ResourceSummary
		want    int
	}{
		"nothing is known of its nodes":                    {nil, 0},
		"counted in grades that nobody declares any more":  {&modelled, 0}, // Karmada §4.4, E15
		"counted in the default grades, declaring none":    {&byDefault, 9},
		"a summary without nodes by grade, declaring none": {&v1alpha1.ResourceSummary{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			models := fleet.From(v1alpha1.Cluster{Status: v1alpha1.ClusterStatus{ResourceSummary: c.summary}}, manifest.Origin{}).Models
			require.Len(t, models, c.want)
		})
	}
}

func TestAPIsFrom(t *testing.T) {
	complete := []metav1.Condition{{Type: v1alpha1.CompleteAPIEnablements, Status: "True"}}
	core := v1alpha1.APIEnablement{GroupVersion: "v1", Resources: []v1alpha1.APIResource{{Kind: "Pod"}}}
	from := func(s v1alpha1.ClusterStatus) *fleet.APIs {
		return fleet.From(v1alpha1.Cluster{Status: s}, manifest.Origin{}).APIs
	}
	require.Nil(t, from(v1alpha1.ClusterStatus{}), "never asked")
	require.Nil(t, from(v1alpha1.ClusterStatus{Conditions: complete}), "nothing is listed")
	pod := map[schema.GroupVersionKind]bool{{Version: "v1", Kind: "Pod"}: true}
	require.Equal(t, &fleet.APIs{Served: pod}, from(v1alpha1.ClusterStatus{APIEnablements: []v1alpha1.APIEnablement{core}}))
	require.Equal(t, &fleet.APIs{Served: pod}, from(v1alpha1.ClusterStatus{
		Conditions: complete, APIEnablements: []v1alpha1.APIEnablement{core, {GroupVersion: "a/b/c"}},
	}), "a version that cannot be read")
}

func TestScopesFrom(t *testing.T) {
	list := v1alpha1.APIEnablement{GroupVersion: "example.com/v1", Resources: []v1alpha1.APIResource{
		{Kind: "Pool", Scope: v1alpha1.ScopeCluster}, {Kind: "Task", Scope: v1alpha1.ScopeNamespaced}, {Kind: "Torn"},
	}}
	got := fleet.From(v1alpha1.Cluster{Status: v1alpha1.ClusterStatus{APIEnablements: []v1alpha1.APIEnablement{list}}}, manifest.Origin{})
	require.Equal(t, map[schema.GroupKind]bool{{Group: "example.com", Kind: "Pool"}: true, {Group: "example.com", Kind: "Task"}: false}, got.APIs.ClusterScoped)
	_, status := got.Declared()
	require.Equal(t, []v1alpha1.APIEnablement{list}, status.APIEnablements, "a dump has the scopes")
}

// TestFromAll compares the values that share APIs with those of each Cluster alone.
func TestFromAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		all := make([]v1alpha1.Cluster, r.IntN(30))
		origins := map[string]manifest.Origin{}
		for i := range all {
			c := &all[i]
			c.Name = fmt.Sprint("c", i)
			origins[c.Name] = manifest.Origin{Path: c.Name}
			for kind := range r.IntN(4) {
				c.Status.APIEnablements = append(c.Status.APIEnablements, v1alpha1.APIEnablement{
					GroupVersion: []string{"v1", "example.com/v1", "a/b/c"}[r.IntN(3)],
					Resources:    []v1alpha1.APIResource{{Kind: fmt.Sprint("Kind", kind), Scope: []string{"", v1alpha1.ScopeCluster}[r.IntN(2)]}},
				})
			}
			if r.IntN(2) == 0 {
				c.Status.Conditions = []metav1.Condition{{Type: v1alpha1.CompleteAPIEnablements, Status: []metav1.ConditionStatus{"True", "False"}[r.IntN(2)]}}
			}
		}
		got := fleet.FromAll(all, origins)
		require.Len(t, got, len(all))
		for i, c := range all {
			require.Equal(t, fleet.From(c, origins[c.Name]), got[i])
		}
	}
	two := []v1alpha1.Cluster{{}, {}}
	for i := range two {
		two[i].Status.APIEnablements = []v1alpha1.APIEnablement{{GroupVersion: "v1", Resources: []v1alpha1.APIResource{{Kind: "Pod"}}}}
	}
	shared := fleet.FromAll(two, nil)
	require.Same(t, shared[0].APIs, shared[1].APIs)
}
