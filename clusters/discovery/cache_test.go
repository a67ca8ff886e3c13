package discovery

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// responseOf returns a response with groups of one version, each with kinds.
func responseOf(groups ...[]string) response {
	var a response
	for _, g := range groups {
		version := metav1.GroupVersionForDiscovery{GroupVersion: g[0] + "/v1", Version: "v1"}
		a.groupList = append(a.groupList, &metav1.APIGroup{Name: g[0], Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
		list := &metav1.APIResourceList{GroupVersion: version.GroupVersion}
		for _, kind := range g[1:] {
			list.APIResources = append(list.APIResources,
				metav1.APIResource{Name: kind + "s", Kind: kind, Namespaced: true, Verbs: []string{"list"}},
				metav1.APIResource{Name: kind + "s/status", Kind: kind, Namespaced: true})
		}
		a.resourceLists = append(a.resourceLists, list)
	}
	return a
}

func TestCatalogsAreShared(t *testing.T) {
	failing := func(a response) response {
		a.failed = map[schema.GroupVersion]error{{Group: "m.io", Version: "v1"}: errNothingServed}
		return a
	}
	verbs := responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other"})
	verbs.resourceLists[0].APIResources[0].Verbs = []string{"get"}
	clusterWide := responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other"})
	clusterWide.resourceLists[0].APIResources[0].Namespaced = false
	second := metav1.GroupVersionForDiscovery{GroupVersion: "a.io/v2", Version: "v2"}
	newer := responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other"})
	newer.groupList[0].Versions = append(newer.groupList[0].Versions, second)
	for name, c := range map[string]struct {
		other response
		same  bool
	}{
		"the same":             {responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other"}), true},
		"other order":          {responseOf([]string{"b.io", "Other"}, []string{"a.io", "Widget", "Gadget"}), true},
		"other verbs":          {verbs, true},
		"one kind more":        {responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other", "More"}), false},
		"one kind less":        {responseOf([]string{"a.io", "Gadget"}, []string{"b.io", "Other"}), false},
		"another scope":        {clusterWide, false},
		"one version more":     {newer, false},
		"one without answer":   {failing(responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other"})), false},
		"kinds of other group": {responseOf([]string{"b.io", "Gadget", "Widget"}, []string{"a.io", "Other"}), false},
	} {
		t.Run(name, func(t *testing.T) {
			var all Cache
			one := all.intern(responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other"}))
			other := all.intern(c.other)
			require.Equal(t, c.same, one == other)
			require.NotSame(t, one, new(Cache).intern(responseOf([]string{"a.io", "Gadget", "Widget"}, []string{"b.io", "Other"})), "of another Cache")
			for range 2 { // looked up, and kept
				mapping, err := one.mapping(schema.GroupVersionKind{Group: "a.io", Version: "v1", Kind: "Widget"})
				require.NoError(t, err)
				require.Equal(t, "Widgets", mapping.Resource.Resource)
				require.Equal(t, meta.RESTScopeNamespace, mapping.Scope)
				_, err = one.mapping(schema.GroupVersionKind{Group: "a.io", Version: "v3", Kind: "Widget"})
				require.True(t, meta.IsNoMatchError(err), "%v", err)
			}
			runtime.KeepAlive(other)
		})
	}
}

// A group lists its versions in order of preference, which must be kept.
func TestCatalogPrefersWhatTheClusterDoes(t *testing.T) {
	for _, order := range [][]string{{"v1", "v2", "v1beta1"}, {"v2", "v1", "v1beta1"}, {"v1beta1", "v1", "v2"}} {
		var a response
		g := &metav1.APIGroup{Name: "a.io"}
		for _, v := range order {
			g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{GroupVersion: "a.io/" + v, Version: v})
			a.resourceLists = append(a.resourceLists, &metav1.APIResourceList{GroupVersion: "a.io/" + v, APIResources: []metav1.APIResource{{Name: "gadgets", Kind: "Gadget"}}})
		}
		g.PreferredVersion = g.Versions[0]
		a.groupList = []*metav1.APIGroup{g}
		mapping, err := new(Cache).intern(a).mapping(schema.GroupVersionKind{Group: "a.io", Kind: "Gadget"})
		require.NoError(t, err)
		require.Equal(t, order[0], mapping.Resource.Version)
	}
}

func TestCatalogsForgetWhatNobodyServes(t *testing.T) {
	var all Cache
	kept := all.intern(responseOf([]string{"kept.io", "Gadget"}))
	for i := range 20 {
		all.intern(responseOf([]string{"gone.io", fmt.Sprint("Gadget", i)}))
	}
	runtime.GC()
	last := all.intern(responseOf([]string{"last.io", "Gadget"}))
	require.Len(t, all.catalogs, 2)
	require.Same(t, kept, all.intern(responseOf([]string{"kept.io", "Gadget"})))
	require.Same(t, last, all.intern(responseOf([]string{"last.io", "Gadget"})))
}
