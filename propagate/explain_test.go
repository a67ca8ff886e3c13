package propagate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

const explained = `
-- input --
federation: fleet/prod
-- objects.yaml --
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 5, template: {spec: {containers: [{name: c, image: 'nginx:1', envFrom: [{configMapRef: {name: settings}}]}]}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}
-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: exact, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  propagateDeps: true
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      weightPreference:
        staticWeightList:
        - {targetCluster: {clusterNames: [a]}, weight: 3}
        - {targetCluster: {clusterNames: [b]}, weight: 2}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: broad, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: wide}
spec:
  priority: 100
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: mirror, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
  - targetCluster: {clusterNames: [a]}
    overriders: {imageOverrider: [{component: Registry, operator: replace, value: mirror.a}]}
-- fleet.yaml --
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}, spec: {syncMode: Push}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: b}, spec: {syncMode: Push, taints: [{key: t, effect: NoSchedule}]}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: c}, spec: {syncMode: Push}}
-- previous --
- {id: {group: apps, kind: Deployment, namespace: shop, name: web}, clusters: [{name: b, replicas: 5}]}
`

func TestExplaining(t *testing.T) {
	p := plan(t, load(t, explained))
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	settings := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}
	none := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "none"}

	t.Run("the decision and the manifest", func(t *testing.T) {
		require.Equal(t, web, p.Decision(web).ID)
		require.Equal(t, "web", p.Manifest(web).Get().GetName())
		require.Nil(t, p.Decision(none))
		require.Nil(t, p.Manifest(none))
		require.Nil(t, p.Decision(manifest.ID{Kind: "Namespace", Name: "shop"}), "it is not in Git")
	})
	t.Run("who selects it, the winner first", func(t *testing.T) {
		var names []string
		for _, c := range p.PoliciesSelecting(web) {
			names = append(names, c.Title())
		}
		require.Equal(t, []string{"PropagationPolicy shop/exact", "PropagationPolicy shop/broad", "ClusterPropagationPolicy wide"}, names)
		require.Empty(t, p.PoliciesSelecting(none))
	})
	t.Run("how the replicas came about", func(t *testing.T) {
		shares := p.Shares(web)
		require.Contains(t, shares["a"], "weight 3")
		require.Contains(t, shares["b"], "weight 2")
		require.Nil(t, p.Shares(settings))
	})
	t.Run("what the overrides did", func(t *testing.T) {
		steps, err := p.Trace(web, "a")
		require.NoError(t, err)
		require.Len(t, steps, 1)
		require.Equal(t, "nginx:1", steps[0].Before)
		require.Equal(t, "mirror.a/nginx:1", steps[0].After)
		for _, cluster := range []string{"b", "c", "nowhere"} {
			steps, err = p.Trace(web, cluster)
			require.NoError(t, err)
			require.Empty(t, steps, cluster)
		}
	})
	t.Run("what it is sent along with", func(t *testing.T) {
		require.Equal(t, []manifest.ID{web}, p.Dependents(settings))
		require.Empty(t, p.Dependents(web))
	})
	t.Run("the fleet", func(t *testing.T) {
		require.Equal(t, "b", p.Fleet()[1].Name)
		require.Len(t, p.Taints()["b"], 1)
		require.Empty(t, p.Taints()["a"])
		require.False(t, p.NeedsRoom())
	})
}
