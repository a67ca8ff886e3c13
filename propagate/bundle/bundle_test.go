package bundle

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/scripts"
)

const fleet = `-- input --
federation: shop/web
-- all.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "nginx:1"}]}}}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: shop}
stringData: {password: secret}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: all, namespace: shop}, spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: Secret}]}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: OverridePolicy, metadata: {name: eu, namespace: shop}, spec: {overrideRules: [{targetCluster: {clusterNames: [eu]}, overriders: {imageOverrider: [{component: Registry, operator: add, value: eu.example.com}]}}]}}
---
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: health}
spec:
  target: {apiVersion: example.com/v1, kind: Database}
  customizations: {healthInterpretation: {luaScript: "function InterpretHealth(o) return o.status.ok end"}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: us}}
`

// planned returns the plan of the fleet.
func planned(t *testing.T) *propagate.Plan {
	t.Helper()
	in, err := dump.Read([]byte(fleet))
	require.NoError(t, err)
	plan, err := propagate.New(in)
	require.NoError(t, err)
	return plan
}

// sent encodes the part of a cluster, and decodes the index as an agent does.
func sent(t *testing.T, e *Encoder, plan *propagate.Plan, cluster string) (*Index, Contents) {
	t.Helper()
	all := Contents{}
	part := Part{Namespace: "shop", Name: "web", Leaving: []Leaving{
		{Entry: "shop_old_apps_Deployment"}, {Entry: "shop_held_apps_Deployment", Stays: "held"}, {Entry: "shop_gone_apps_Deployment", Evicted: true},
	}}
	e.AddTarget(&part, plan.ForCluster(cluster), all)
	require.NoError(t, AddScripts(&part, plan.Interpreters(), all))
	text, err := json.Marshal(Index{Cluster: cluster, Epoch: "uid", Sequence: 7, Parts: []Part{part}})
	require.NoError(t, err)
	index := &Index{}
	require.NoError(t, json.Unmarshal(text, index))
	return index, all
}

func TestAnAgentGetsThePlanOfItsCluster(t *testing.T) {
	plan, e := planned(t), &Encoder{}
	for _, cluster := range plan.Clusters() {
		index, all := sent(t, e, plan, cluster)
		missing := index.Names()
		require.Len(t, missing, len(all), "an index names every content once")
		for _, name := range missing {
			require.NoError(t, Verify(name, all[name]))
		}
		part := &index.Parts[0]
		target, err := part.Target(cluster, all, nil)
		require.NoError(t, err)
		want := plan.ForCluster(cluster)
		require.Len(t, target.Objects, len(want.Objects))
		for i, o := range target.Objects {
			w := want.Objects[i]
			require.Equal(t, []any{w.ID, w.GVK, w.Digest, string(w.Body.Bytes()), w.Held, w.Overwrite, w.Implied}, []any{o.ID, o.GVK, o.Digest, string(o.Body.Bytes()), o.Held, o.Overwrite, o.Implied})
		}
		interpreters, err := part.Interpreters(all, scripts.Interpreters{})
		require.NoError(t, err)
		require.Equal(t, plan.Interpreters().ID, interpreters.ID)
		again, err := part.Interpreters(all, interpreters)
		require.NoError(t, err)
		require.Same(t, interpreters.Book, again.Book)
	}
	eu, _ := sent(t, e, plan, "eu")
	us, inUS := sent(t, e, plan, "us")
	foreign := eu.Missing(func(name string) bool { return inUS[name] != nil })
	require.Len(t, foreign, 1, "clusters share the contents that do not differ")
	require.Len(t, us.Missing(func(name string) bool { return inUS[name] != nil }), 0)

	e.Known = func(name string) bool { return inUS[name] != nil }
	again, rest := sent(t, e, plan, "eu")
	require.Equal(t, eu.Parts[0].Objects, again.Parts[0].Objects)
	for _, o := range again.Parts[0].Objects {
		require.Equal(t, inUS[o.SHA256] == nil, rest[o.SHA256] != nil, "the text of an object that the reader has is left out")
	}
}

func TestAnUnchangedObjectIsTheSame(t *testing.T) {
	plan, e := planned(t), &Encoder{}
	index, all := sent(t, e, plan, "eu")
	first, err := index.Parts[0].Target("eu", all, nil)
	require.NoError(t, err)
	known := map[string]*propagate.Rendered{}
	for i, o := range index.Parts[0].Objects {
		known[o.SHA256] = first.Objects[i].Rendered
	}
	second, err := index.Parts[0].Target("eu", nil, known)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Same(t, first.Objects[0].Rendered, second.Objects[0].Rendered)
}

func TestOnlyNamedObjectsLeave(t *testing.T) {
	index, _ := sent(t, &Encoder{}, planned(t), "eu")
	part := &index.Parts[0]
	withdraw := part.Withdraw()
	deployment := func(name string) manifest.ID {
		return manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: name}
	}
	require.Empty(t, withdraw(deployment("old")))
	require.Equal(t, "held", withdraw(deployment("held")))
	require.Equal(t, Undecided, withdraw(deployment("unknown")))
	require.Equal(t, []manifest.ID{deployment("gone")}, part.Evicted())
}

func TestTamperedBundles(t *testing.T) {
	plan := planned(t)
	for name, c := range map[string]struct {
		change func(*Index, Contents)
		want   string
	}{
		"a content is missing":      {func(i *Index, all Contents) { delete(all, i.Parts[0].Objects[0].SHA256) }, "is missing"},
		"another Federation":        {func(i *Index, _ Contents) { i.Parts[0].Name = "api" }, "is marked for another Federation"},
		"another object":            {func(i *Index, _ Contents) { i.Parts[0].Objects[0].Entry = "shop_other__Namespace" }, "its content is"},
		"another version":           {func(i *Index, _ Contents) { i.Parts[0].Objects[0].Version = "v2" }, "its content is"},
		"another digest":            {func(i *Index, _ Contents) { i.Parts[0].Objects[0].Digest = "sha256:0" }, "has the digest of another version"},
		"no object":                 {func(i *Index, all Contents) { all[i.Parts[0].Objects[0].SHA256] = []byte("{") }, "cannot be read"},
		"an entry that is no entry": {func(i *Index, _ Contents) { i.Parts[0].Objects[0].Entry = "x" }, "is not <namespace>"},
	} {
		t.Run(name, func(t *testing.T) {
			index, all := sent(t, &Encoder{}, plan, "eu")
			c.change(index, all)
			_, err := index.Parts[0].Target("eu", all, nil)
			require.ErrorContains(t, err, c.want)
		})
	}
	require.ErrorContains(t, Verify(delivery.Digest([]byte("a")), []byte("b")), "and the index names")
}

func TestReplayedIndexes(t *testing.T) {
	last := &Index{Cluster: "eu", Epoch: "uid", Sequence: 7}
	require.NoError(t, (&Index{Cluster: "eu", Epoch: "uid", Sequence: 7}).Follows(last, "eu"))
	require.NoError(t, (&Index{Cluster: "eu", Epoch: "another", Sequence: 1}).Follows(last, "eu"), "a hub that was built again")
	require.NoError(t, last.Follows(nil, "eu"))
	require.ErrorContains(t, (&Index{Cluster: "eu", Epoch: "uid", Sequence: 6}).Follows(last, "eu"), "it is an older one")
	require.ErrorContains(t, (&Index{Cluster: "us", Epoch: "uid", Sequence: 8}).Follows(last, "eu"), `this is the agent of "eu"`)
	require.ErrorContains(t, (&Index{Cluster: "eu", Sequence: 8}).Follows(last, "eu"), "no epoch")
}
