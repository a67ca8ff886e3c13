package decode_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/render"
)

func build(t *testing.T, text string) []render.Object {
	t.Helper()
	tree, err := txtar.FS(txtar.Parse([]byte(text)))
	require.NoError(t, err)
	objects, err := render.Build(tree, render.Options{})
	require.NoError(t, err)
	return objects
}

func TestSort(t *testing.T) {
	parts, err := decode.Sort(build(t, `
-- a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}
---
{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: workload}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: FederatedResourceQuota, metadata: {name: other}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: p}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: o}, spec: {overrideRules: []}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterOverridePolicy, metadata: {name: o}, spec: {overrideRules: []}}
-- b.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}}
---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: a}
spec:
  syncMode: Push
  resourceModels:
  - grade: 0
    ranges: [{name: cpu, min: "0", max: "1"}]
`))
	require.NoError(t, err)
	require.Len(t, parts.Objects, 3, "Cluster API's Cluster and other policy kinds are objects")
	require.Len(t, parts.Policies, 2)
	require.Len(t, parts.Overrides, 2)
	require.Equal(t, "a", parts.Clusters[0].Name)
	require.Equal(t, manifest.Origin{Path: "b.yaml", Line: 3}, parts.Fleet()[0].Origin)
}

func TestSortTellsEveryMistake(t *testing.T) {
	_, err := decode.Sort(build(t, `
-- a.yaml --
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: {resourceSelectors: []}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: o}, spec: {overideRules: []}}
-- b.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}, spec: {syncMode: Push}}
`))
	require.EqualError(t, err, `a.yaml:1: spec.resourceSelectors needs at least one entry
a.yaml:3: unknown field "overideRules" in spec; did you mean "overrideRules"?
b.yaml:3: Cluster a is defined twice; the other definition is b.yaml:1`)
}

// A Sorter decodes a changed manifest again, and returns the same parts and errors as Sort.
func TestSorterSortsTheSame(t *testing.T) {
	policies := func(a, b string) string {
		return "-- a.yaml --\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: a}, spec: " + a + "}\n" +
			"-- b.yaml --\n{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: b}, spec: " + b + "}\n" +
			"-- c.yaml --\n{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}\n"
	}
	var sorter decode.Sorter
	var memory render.Cache
	const selects, rules = "{resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}", "{overrideRules: []}"
	for _, text := range []string{
		policies(selects, rules), policies(selects, rules), policies("{resourceSelectors: [{apiVersion: v1, kind: Secret}]}", rules),
		policies("{unknown: field}", rules), policies(selects, "{unknown: field}"), policies(selects, rules),
	} {
		tree, err := txtar.FS(txtar.Parse([]byte(text)))
		require.NoError(t, err)
		objects, err := memory.Build(tree, render.Options{})
		require.NoError(t, err)
		want, wantErr := decode.Sort(objects)
		got, err := sorter.Sort(objects)
		require.Equal(t, want, got)
		require.Equal(t, wantErr, err)
	}
}

// TestSortSharesTheList: a push reads thousands of objects again that it does not change, and Sort copies none of them if no policy stands
// between them. The list of the build stays as it is.
func TestSortSharesTheList(t *testing.T) {
	const web, policy = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}\n",
		"{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}}\n"
	for kinds, shared := range map[string]bool{"": false, "p": false, "o": true, "ooo": true, "pooo": true, "ooop": true, "oopo": false, "popoo": false} {
		var text strings.Builder
		var names []string
		for i, kind := range kinds {
			fmt.Fprintf(&text, "-- %d.yaml --\n", i)
			if kind == 'p' {
				text.WriteString(strings.ReplaceAll(policy, "name: p", fmt.Sprint("name: p", i)))
				continue
			}
			names = append(names, fmt.Sprint("web", i))
			fmt.Fprintf(&text, web, names[len(names)-1])
		}
		tree, err := txtar.FS(txtar.Parse([]byte(text.String())))
		require.NoError(t, err)
		objects, err := render.Build(tree, render.Options{})
		require.NoError(t, err)
		before := slices.Clone(objects)
		parts, err := decode.Sort(objects)
		require.NoError(t, err)
		var got []string
		for _, o := range parts.Objects {
			got = append(got, o.ID().Name)
		}
		require.Equal(t, names, got, kinds)
		if at := slices.Index([]rune(kinds), 'o'); at >= 0 {
			require.Equal(t, shared, &parts.Objects[0] == &objects[at], kinds)
		}
		if shared {
			require.Equal(t, len(parts.Objects), cap(parts.Objects), kinds) // what somebody appends does not reach the build
		}
		require.Equal(t, before, objects, kinds)
	}
}
