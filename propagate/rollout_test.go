package propagate_test

import (
	"bytes"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/staged"
)

const stagedInput = `
-- input --
federation: demo/prod
now: "2026-03-02T12:00:00Z"
-- fleet.yaml --
apiVersion: accord.dev/v1alpha1
kind: Cluster
metadata: {name: eu-1}
---
apiVersion: accord.dev/v1alpha1
kind: Cluster
metadata: {name: us-1}
spec:
  hold: {reason: load test, owner: j.doe, until: "2026-03-06T18:00:00Z"}
---
apiVersion: accord.dev/v1alpha1
kind: Cluster
metadata: {name: us-2}
-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: web}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {clusterAffinity: {clusterNames: [eu-1, us-2]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: pages}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: pages}]
  placement: {clusterAffinity: {clusterNames: [us-1, us-2]}}
---
apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: web, annotations: {rollout.accord.dev/approve: "sha256:1f0c9e21aa040000000000000000000000000000000000000000000000000000@first"}}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  stages:
  - {name: first, clusterAffinity: {clusterNames: [eu-1]}}
  - {name: second, clusterAffinity: {clusterNames: [us-2]}}
-- objects.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:1", envFrom: [{configMapRef: {name: settings-1}}]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: shop, name: settings-1}
data: {mode: fast}
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: shop, name: pages}
`

var (
	webDeployment = manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	settings      = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "settings-1"}
	pages         = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "pages"}
	shop          = manifest.ID{Kind: "Namespace", Name: "shop"}
)

// planOf a txtar case, with pairs of texts replaced in it.
func planOf(t *testing.T, text string, replace ...string) *propagate.Plan {
	t.Helper()
	for i := 0; i < len(replace); i += 2 {
		require.Contains(t, text, replace[i])
		text = string(bytes.ReplaceAll([]byte(text), []byte(replace[i]), []byte(replace[i+1])))
	}
	in, err := dump.Read([]byte(text))
	require.NoError(t, err)
	p, err := propagate.New(in)
	require.NoError(t, err)
	return p
}

// What an object needs moves with it, and a change of anything is another digest.
func TestRollouts(t *testing.T) {
	p := planOf(t, stagedInput)
	require.Len(t, p.Rollouts(), 1)
	r := p.Rollouts()[0]
	require.Equal(t, "shop/web", r.Name())
	require.Equal(t, []string{"eu-1", "us-2"}, r.Clusters)
	require.Empty(t, r.Sequence().Faults)
	require.Len(t, r.Sequence("us-1").Faults, 1, "what is to be removed from a cluster needs a stage, too")
	require.Equal(t, []manifest.ID{settings}, r.Dependencies("eu-1"))
	require.Len(t, r.Items("eu-1"), 2)
	require.Len(t, r.Digest("eu-1"), 32)
	require.Empty(t, r.Digest("us-1"))
	require.Empty(t, r.Digest("nowhere"))

	require.Same(t, r, p.Rollout("eu-1", webDeployment, nil))
	require.Same(t, r, p.Rollout("eu-1", settings, nil))
	require.Same(t, r, p.Rollout("us-1", settings, nil), "where it is not wanted any more it goes with those that need it")
	require.Nil(t, p.Rollout("us-2", pages, nil))
	require.Nil(t, p.Rollout("eu-1", shop, nil))
	gone := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "gone"}
	require.Same(t, r, p.Rollout("us-1", gone, nil), "what left Git is claimed by its kind")

	for name, change := range map[string][2]string{
		"a template":   {"web:1", "web:2"},
		"a dependency": {"mode: fast", "mode: slow"},
	} {
		require.NotEqual(t, r.Digest("eu-1"), planOf(t, stagedInput, change[0], change[1]).Rollouts()[0].Digest("eu-1"), name)
	}
}

// A held cluster is left alone in everything, until its time is over.
func TestHold(t *testing.T) {
	p := planOf(t, stagedInput)
	require.Equal(t, "held by j.doe until Fri 2026-03-06 18:00 UTC: load test (fleet.yaml:5)", p.Hold("us-1"))
	for _, o := range p.ForCluster("us-1").Objects {
		require.Contains(t, o.Held, "load test", o.ID)
	}
	require.Contains(t, p.KeepReason("us-1", webDeployment, nil), "load test")
	later := planOf(t, stagedInput, "2026-03-02T12:00:00Z", "2026-03-06T18:00:00Z")
	require.Empty(t, later.Hold("us-1"))
	for _, o := range later.ForCluster("us-1").Objects {
		require.Empty(t, o.Held, o.ID)
	}
	require.Empty(t, later.KeepReason("us-1", webDeployment, nil))
	require.Equal(t, p.Digest(), later.Digest(), "who is held is no part of what was decided")
}

// What is dumped is the same input: with orders, the hold, and the time.
func TestDumpRollouts(t *testing.T) {
	in, err := dump.Read([]byte(stagedInput))
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), in.Now)
	require.Len(t, in.Rollouts[0].Commands, 1)
	var text bytes.Buffer
	require.NoError(t, dump.Write(&text, in))
	again, err := dump.Read(text.Bytes())
	require.NoError(t, err)
	require.Equal(t, in.Now, again.Now)
	require.Equal(t, in.Rollouts[0].Commands, again.Rollouts[0].Commands)
	require.Equal(t, in.Rollouts[0].Spec, again.Rollouts[0].Spec)
	require.True(t, in.Fleet[1].Hold.Until.Equal(again.Fleet[1].Hold.Until))
	require.Equal(t, in.Fleet[1].Hold.String(), again.Fleet[1].Hold.String())
}

// staging of a cluster with these turns, where live objects are there.
func staging(p *propagate.Plan, cluster string, turns map[string]staged.Assignment, along map[manifest.ID]string, live ...manifest.ID) *staged.Plan {
	there := map[manifest.ID]map[string]string{}
	for _, id := range live {
		there[id] = nil
	}
	return staged.New(p, cluster, turns, along, maps.All(there))
}

// suspension are the reasons in a target, by object.
func suspension(t propagate.ClusterPlan) map[manifest.ID]string {
	all := map[manifest.ID]string{}
	for _, o := range t.Objects {
		all[o.ID] = o.Held
	}
	return all
}

func TestStaging(t *testing.T) {
	p := planOf(t, stagedInput)
	waits := map[string]staged.Assignment{"shop/web": {Held: "waits"}}
	gone := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "gone"}
	before := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "settings-0"}

	t.Run("what waits is held, with what it needs and the namespace for it", func(t *testing.T) {
		require.Equal(t, map[manifest.ID]string{shop: "waits", settings: "waits", webDeployment: "waits"}, suspension(staging(p, "eu-1", waits, nil).ClusterPlan()))
	})
	t.Run("what moves by nothing does not wait", func(t *testing.T) {
		require.Equal(t, map[manifest.ID]string{shop: "", settings: "waits", webDeployment: "waits", pages: ""}, suspension(staging(p, "us-2", waits, nil).ClusterPlan()))
	})
	t.Run("what was given is the plan's", func(t *testing.T) {
		require.Equal(t, p.ForCluster("eu-1"), staging(p, "eu-1", map[string]staged.Assignment{"shop/web": {}}, nil).ClusterPlan())
	})
	t.Run("as long as nothing is decided hands are off", func(t *testing.T) {
		require.Equal(t, staged.Undecided, suspension(staging(p, "eu-1", nil, nil).ClusterPlan())[webDeployment])
		require.Equal(t, staged.Undecided, staging(p, "eu-1", nil, nil).KeepReason(gone, nil))
	})
	t.Run("removals wait, too", func(t *testing.T) {
		s := staging(p, "eu-1", waits, map[manifest.ID]string{before: "shop/web"}, webDeployment, before, gone)
		require.Equal(t, "waits", s.KeepReason(gone, nil))
		require.Equal(t, "waits", s.KeepReason(before, nil), "it came with what waits")
		require.Equal(t, "shop/web", s.RolloutOf(before, nil))
		require.NotEmpty(t, s.KeepReason(shop, nil), "something in it is held")
		unknown := staging(p, "eu-1", waits, nil, webDeployment, before)
		require.Contains(t, unknown.KeepReason(before, nil), "may need it", "nothing says what it came with")
		require.Empty(t, unknown.RolloutOf(before, nil))
		given := staging(p, "eu-1", map[string]staged.Assignment{"shop/web": {}}, map[manifest.ID]string{before: "shop/web"}, before)
		require.Empty(t, given.KeepReason(before, nil))
		require.Empty(t, given.KeepReason(gone, nil))
	})
	t.Run("a rollback gives back all of it, and nothing else", func(t *testing.T) {
		now := planOf(t, stagedInput, "settings-1", "settings-2", "web:1", "web:2")
		back := staging(now, "us-2", map[string]staged.Assignment{"shop/web": {Held: "rolled back", RollbackTo: p}}, nil)
		target := back.ClusterPlan()
		require.Equal(t, map[manifest.ID]string{shop: "", settings: "", webDeployment: "", pages: ""}, suspension(target))
		for _, o := range target.Objects {
			if o.ID == webDeployment {
				require.Contains(t, string(o.Body.Bytes()), "web:1")
			}
		}
		require.Empty(t, back.KeepReason(manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "settings-2"}, nil), "what the failed version brought goes")
	})
	t.Run("what people hold is not given back", func(t *testing.T) {
		everywhere := []string{"clusterNames: [eu-1, us-2]", "clusterNames: [eu-1, us-1]", "clusterNames: [us-2]", "clusterNames: [us-1]"}
		now := planOf(t, stagedInput, append(everywhere, "web:1", "web:2")...)
		for id, why := range suspension(staging(now, "us-1", map[string]staged.Assignment{"shop/web": {Held: "rolled back", RollbackTo: planOf(t, stagedInput, everywhere...)}}, nil).ClusterPlan()) {
			require.Contains(t, why, "load test", id)
		}
	})
}
