package propagate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/render"
)

// cases are the inputs of testdata that can be planned.
func cases(t testing.TB) map[string]propagate.Input {
	inputs := map[string]propagate.Input{}
	for _, c := range golden.Cases(t, "testdata/*.txtar") {
		if !strings.HasPrefix(c.Name, "error_") {
			in, err := dump.Read(c.Text())
			require.NoError(t, err, c.Name)
			inputs[c.Name] = in
		}
	}
	return inputs
}

func plan(t testing.TB, in propagate.Input) *propagate.Plan {
	t.Helper()
	p, err := propagate.New(in)
	require.NoError(t, err)
	return p
}

// load reads parts of a case written in a test.
func load(t testing.TB, parts string) propagate.Input {
	t.Helper()
	in, err := dump.Read([]byte(parts))
	require.NoError(t, err)
	return in
}

func TestEveryClusterIsChosenOrRefusedOnce(t *testing.T) {
	for file, in := range cases(t) {
		p := plan(t, in)
		for _, d := range p.Decisions {
			var clusters []string
			for _, c := range d.Chosen {
				clusters = append(clusters, c.Cluster)
			}
			for _, r := range d.Refused {
				require.NotEmpty(t, r.Why)
				clusters = append(clusters, r.Cluster)
			}
			slices.Sort(clusters)
			require.Equal(t, p.Clusters(), clusters, "%s: %s", file, d.ID)
			require.Equal(t, len(d.Chosen) == 0 || d.PlacementRetained, d.Why != "", "%s: %s", file, d.ID)
		}
	}
}

func TestEveryChoiceIsPlacedOrFailed(t *testing.T) {
	for file, in := range cases(t) {
		p := plan(t, in)
		for _, cluster := range p.Clusters() {
			there := map[manifest.ID]int{}
			target := p.ForCluster(cluster)
			for _, o := range target.Objects {
				there[o.ID]++
			}
			for _, f := range target.Failed {
				there[f.ID]++
			}
			for _, d := range p.Decisions {
				chosen := slices.ContainsFunc(d.Chosen, func(c decision.Choice) bool { return c.Cluster == cluster })
				require.Equal(t, chosen, there[d.ID] == 1, "%s: %s on %s", file, d.ID, cluster)
			}
		}
	}
}

func TestDigestIgnoresOrderPlaceAndRevision(t *testing.T) {
	for file, in := range cases(t) {
		digest := plan(t, in).Digest()
		require.Regexp(t, "^sha256:[0-9a-f]{64}$", digest)
		for i := range in.Objects {
			in.Objects[i].Written = &render.Written{Origin: manifest.Origin{Path: "moved.yaml", Line: 1000 + i}, Text: in.Objects[i].Text, Digest: in.Objects[i].Digest}
		}
		for i := range in.Policies {
			in.Policies[i].Origin, in.Policies[i].Lines = manifest.Origin{Path: "moved.yaml"}, nil
		}
		for i := range in.Overrides {
			in.Overrides[i].Origin, in.Overrides[i].Lines = manifest.Origin{Path: "moved.yaml"}, nil
		}
		in.Revision = "main@sha1:0000"
		shuffle(rand.New(rand.NewPCG(1, 2)), in)
		require.Equal(t, digest, plan(t, in).Digest(), file)
	}
}

func TestDigestTellsChangesApart(t *testing.T) {
	const base = `
-- a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}, data: {color: blue}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  conflictResolution: Abort
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}}
`
	digest := plan(t, load(t, base)).Digest()
	seen := map[string]string{digest: "nothing"}
	for name, change := range map[string][2]string{
		"content":    {"blue", "red"},
		"suspension": {"conflictResolution: Abort", "suspension: {dispatchingOnClusters: {clusterNames: [a]}}"},
		"overwrite":  {"Abort", "Overwrite"},
		"preserve":   {"conflictResolution: Abort", "preserveResourcesOnDeletion: true"},
		"placement":  {"conflictResolution: Abort", "placement: {clusterAffinity: {clusterNames: [b]}}"},
		"policy":     {"kind: PropagationPolicy\nmetadata: {name: web}", "kind: PropagationPolicy\nmetadata: {name: other}"},
	} {
		changed := plan(t, load(t, strings.Replace(base, change[0], change[1], 1)))
		require.NotContains(t, seen, changed.Digest(), name)
		seen[changed.Digest()] = name
	}
	other := load(t, base)
	other.Federation = "fleet/other"
	require.NotContains(t, seen, plan(t, other).Digest(), "another federation marks its objects differently")
}

func TestTargetDigest(t *testing.T) {
	in := load(t, read(t, "testdata/hold_clusters.txtar"))
	p := plan(t, in)
	require.NotEqual(t, p.ClusterDigest("cluster-a"), p.ClusterDigest("cluster-b"), "what is held counts")
	require.Equal(t, p.ClusterDigest("cluster-b"), p.ClusterDigest("cluster-c"), "the name of the cluster does not")
	require.Equal(t, p.ClusterDigest("nowhere"), p.ClusterDigest("elsewhere"))
	require.Empty(t, p.ForCluster("nowhere").Objects)
}

func TestForIsMadeOnceAndShared(t *testing.T) {
	in := load(t, read(t, "testdata/render_overrides.txtar"))
	p := plan(t, in)
	targets := make([]propagate.ClusterPlan, 16)
	var wait sync.WaitGroup
	for i := range targets {
		wait.Go(func() { targets[i] = p.ForCluster(p.Clusters()[i%3]) })
	}
	wait.Wait()
	b, c := p.ForCluster("cluster-b"), p.ForCluster("cluster-c")
	require.NotEmpty(t, b.Objects)
	for i := range b.Objects {
		require.Same(t, b.Objects[i].Rendered, c.Objects[i].Rendered)
	}
	for i := range targets {
		require.Equal(t, p.ForCluster(p.Clusters()[i%3]), targets[i])
	}
}

func TestTheSameContentIsSharedAcrossOverrides(t *testing.T) {
	in := load(t, `
-- a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}, data: {color: blue}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: web}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: web}
spec:
  overrideRules:
  - targetCluster: {clusterNames: [a]}
    overriders: {labelsOverrider: [{operator: add, value: {tier: x}}]}
  - targetCluster: {clusterNames: [b]}
    overriders: {labelsOverrider: [{operator: add, value: {tier: x}}]}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}}
`)
	p := plan(t, in)
	a, b := p.ForCluster("a").Objects[0], p.ForCluster("b").Objects[0]
	require.Equal(t, &a.Body.Bytes()[0], &b.Body.Bytes()[0], "one text")
	require.NotEqual(t, a.Edits, b.Edits, "and each cluster knows the rule that made it")
}

func TestNewRefusesWhatIsThereTwice(t *testing.T) {
	const twice = `
-- a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}}
-- b.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}
`
	in := load(t, twice)
	_, err := propagate.New(in)
	require.EqualError(t, err, "b.yaml:1: ConfigMap default/web is defined twice; the other definition is a.yaml:1")
	slices.Reverse(in.Objects)
	_, again := propagate.New(in)
	require.Equal(t, err, again)

	in = load(t, read(t, "testdata/render_overrides.txtar"))
	in.Policies = append(in.Policies, in.Policies...)
	in.Overrides = append(in.Overrides, in.Overrides...)
	in.Fleet = append(in.Fleet, in.Fleet...)
	_, err = propagate.New(in)
	for _, what := range []string{"PropagationPolicy shop/web", "OverridePolicy shop/us", "ClusterOverridePolicy registry", "Cluster cluster-a"} {
		require.ErrorContains(t, err, what+" is defined twice")
	}
}

// TestPlanningChangesNothing: the input is shared with the next plan and must stay as it is.
func TestPlanningChangesNothing(t *testing.T) {
	for file, in := range cases(t) {
		before := asText(t, in)
		p := plan(t, in)
		p.Digest()
		require.True(t, before == asText(t, in), file)
	}
}

func asText(t *testing.T, in propagate.Input) string {
	text, err := json.Marshal(struct {
		propagate.Input
		Evictions string // JSON has no map with such keys
	}{in, fmt.Sprint(in.Evictions)})
	require.NoError(t, err)
	return string(text)
}

func read(t testing.TB, file string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

func TestMarksOfOthersAreDropped(t *testing.T) {
	in := load(t, `
-- a.yaml --
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  namespace: default
  annotations: {accord.dev/digest: forged}
  labels: {applyset.kubernetes.io/part-of: theirs}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: web}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}
`)
	o := plan(t, in).ForCluster("a").Objects[0]
	require.NotContains(t, string(o.Body.Bytes()), "forged")
	require.NotContains(t, string(o.Body.Bytes()), "theirs")
	require.Contains(t, string(o.Body.Bytes()), fmt.Sprintf("%q:%q", "accord.dev/digest", o.Digest))
	require.Contains(t, string(o.Body.Bytes()), applyset.ID(in.Federation))
}

func TestMetadataThatIsNoMap(t *testing.T) {
	in := load(t, `
-- a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: web}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}
`)
	in.Objects[0].Manifest.Get().Object["metadata"].(map[string]any)["labels"] = "app=web"
	target := plan(t, in).ForCluster("a")
	require.Empty(t, target.Objects)
	require.EqualError(t, target.Failed[0].Err, "a.yaml:1: ConfigMap default/web: metadata.labels is not an object")
}

// The previous decisions of objects with the same clusters share the list of these, also after one of the objects changes.
func TestListsOfClustersAreShared(t *testing.T) {
	in := load(t, `-- input --
federation: shop/prod
-- all.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, namespace: shop}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}
---
apiVersion: accord.dev/v1alpha1
kind: Cluster
metadata: {name: asia}
`)
	p := plan(t, in)
	last := p.Previous()
	require.Len(t, last, 2)
	require.Same(t, &last[0].Clusters[0], &last[1].Clusters[0])

	in.Objects, in.Previous = slices.Clone(in.Objects), last
	in.Objects[0] = annotated(in.Objects[0], 1)
	next, err := p.Next(in)
	require.NoError(t, err)
	require.NotEqual(t, last[0].Template, next.Previous()[0].Template)
	require.Same(t, &last[0].Clusters[0], &next.Previous()[0].Clusters[0])
}
