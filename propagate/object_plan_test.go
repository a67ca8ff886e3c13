package propagate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/digest"
)

// TestAcrossIsWhatEveryClusterGets: object by object or cluster by cluster, a plan is the same.
func TestAcrossIsWhatEveryClusterGets(t *testing.T) {
	for file, in := range cases(t) {
		walked, asked := plan(t, in), plan(t, in)
		got := map[string]map[manifest.ID]propagate.Placed{}
		failed := map[string]map[manifest.ID]string{}
		sums := map[manifest.ID]digest.Sum{}
		for _, c := range asked.Clusters() {
			got[c], failed[c] = map[manifest.ID]propagate.Placed{}, map[manifest.ID]string{}
		}
		for _, id := range walked.Objects() {
			x, ok := walked.ForObject(id)
			require.True(t, ok)
			sums[id] = x.Sum()
			for i, choice := range x.Chosen {
				r := x.Results[x.ResultIndex[i]]
				if r.Err != nil {
					failed[choice.Cluster][id] = r.Err.Error()
					continue
				}
				got[choice.Cluster][id] = propagate.Placed{Rendered: r.Rendered, Held: choice.Held, Overwrite: x.TakesOver, Implied: choice.Implied}
			}
		}
		for _, c := range asked.Clusters() {
			target := asked.ForCluster(c)
			require.Equal(t, len(target.Objects)+len(target.Failed), walked.ObjectCount(c), "%s %s", file, c)
			require.Len(t, got[c], len(target.Objects), "%s %s", file, c)
			for _, placed := range target.Objects {
				require.Equal(t, placed, got[c][placed.ID], "%s %s", file, c)
			}
			for _, f := range target.Failed {
				require.Equal(t, f.Err.Error(), failed[c][f.ID], "%s %s", file, c)
			}
		}
		require.True(t, slices.IsSortedFunc(walked.Objects(), manifest.ID.Compare), file)
		require.Equal(t, asked.Digest(), walked.DigestOf(func(id manifest.ID) digest.Sum { return sums[id] }), file)
	}
}

func TestAcrossNothing(t *testing.T) {
	p := plan(t, propagate.Input{})
	_, ok := p.ForObject(manifest.ID{Kind: "ConfigMap", Name: "none"})
	require.False(t, ok)
	require.Zero(t, p.ObjectCount("nowhere"))
}

// TestBesideRendersOnceWhatIsTheSame, and is right about what is not.
func TestBesideRendersOnceWhatIsTheSame(t *testing.T) {
	text := string(read(t, "testdata/render_overrides.txtar"))
	before := plan(t, load(t, text))
	for name, c := range map[string]struct {
		old, new string
		shared   int // of the Deployment and its Namespace
	}{
		"nothing":                     {"", "", 2},
		"the manifest of one":         {"nginx:1.25", "nginx:1.26", 1},
		"an override of one":          {"value: 7", "value: 8", 1},
		"an override of both":         {"value: registry.example.com", "value: other.example.com", 0},
		"what is kept of one":         {"preserveResourcesOnDeletion: true", "preserveResourcesOnDeletion: false", 0},
		"the federation":              {"fleet/prod", "fleet/test", 0},
		"the clusters that there are": {"region: us", "region: eu", 2},
	} {
		require.Contains(t, text, c.old, name)
		after := plan(t, load(t, strings.ReplaceAll(text, c.old, c.new)))
		pair, shared := before.PairWith(after), 0
		for _, id := range before.Objects() {
			was, now := pair.ForObject(id)
			require.NotNil(t, was, name)
			require.NotNil(t, now, name)
			alone, _ := before.ForObject(id)
			require.Equal(t, alone.Sum(), was.Sum(), name)
			alone, _ = after.ForObject(id)
			require.Equal(t, alone.Sum(), now.Sum(), name)
			if was.Results[0].Rendered == now.Results[0].Rendered {
				shared++
			}
		}
		require.Equal(t, c.shared, shared, name)
	}
}

// TestOverridesForOthersTellNoClustersApart: an override with a rule for every cluster that selects by a label is nothing
// to an object without the label, unless another override can give it the label.
func TestOverridesForOthersTellNoClustersApart(t *testing.T) {
	const repository = `
-- a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}, data: {color: blue}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: paint, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {paint: "yes"}}}]
  overrideRules:
  - {targetCluster: {clusterNames: [a]}, overriders: {plaintext: [{path: /data/color, operator: replace, value: red}]}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}}
`
	id := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "web"}
	for name, c := range map[string]struct {
		labels  string // that a cluster-wide override adds
		results int
	}{
		"without the label": {"{team: shop}", 1},
		"with the label":    {`{paint: "yes"}`, 2},
	} {
		p := plan(t, load(t, repository+`---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: label}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: `+c.labels+`}]}}]
`))
		x, ok := p.ForObject(id)
		require.True(t, ok)
		require.Len(t, x.Results, c.results, name)
	}
}
