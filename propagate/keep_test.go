package propagate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

func TestWithdraw(t *testing.T) {
	p := plan(t, load(t, `
-- objects.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: narrowed, namespace: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: homeless, namespace: lost}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: unclaimed, namespace: bare}}
-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: narrowed, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  placement: {clusterAffinity: {clusterNames: [b]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: held, namespace: shop}
spec:
  resourceSelectors:
  - apiVersion: apps/v1
    kind: Deployment
    labelSelector: {matchLabels: {stage: "1"}}
  suspension:
    dispatchingOnClusters:
      clusterNames: [a]
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: homeless}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, namespace: lost}]
  placement: {clusterAffinity: {clusterNames: [gone]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: frozen}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret, namespace: cold}]
  suspension: {dispatching: true}
-- fleet.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}}
`))
	stage := map[string]string{"stage": "1"}
	for _, c := range []struct {
		name, cluster string
		id            manifest.ID
		labels        map[string]string
		want          string
	}{
		{"its policy does not choose the cluster any more", "a", manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "narrowed"}, nil, ""},
		{"left Git, no policy for it", "a", manifest.ID{Kind: "ConfigMap", Namespace: "other", Name: "gone"}, nil, ""},
		{"in Git, no policy for it any more", "a", manifest.ID{Kind: "ConfigMap", Namespace: "bare", Name: "unclaimed"}, nil, ""},
		{"left Git, held here", "a", manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, stage,
			"PropagationPolicy shop/held suspends dispatching on a (policies.yaml:18)"},
		{"left Git, held elsewhere", "b", manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, stage, ""},
		{"left Git, the labels do not match", "a", manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, nil, ""},
		{"left Git, held everywhere", "b", manifest.ID{Kind: "Secret", Namespace: "cold", Name: "key"}, nil,
			"ClusterPropagationPolicy frozen suspends dispatching on every cluster (policies.yaml:32)"},
		{"no cluster fits", "a", manifest.ID{Kind: "ConfigMap", Namespace: "lost", Name: "homeless"}, nil,
			"no cluster fits the placement of ClusterPropagationPolicy homeless (policies.yaml:25): " +
				"a not in clusterNames [gone], b not in clusterNames [gone]; existing objects are kept"},
		{"namespace of what no cluster fits", "a", manifest.ID{Kind: "Namespace", Name: "lost"}, nil,
			"ConfigMap lost/homeless in it is kept: no cluster fits the placement of ClusterPropagationPolicy homeless (policies.yaml:25): " +
				"a not in clusterNames [gone], b not in clusterNames [gone]; existing objects are kept"},
		{"namespace of what is held", "a", manifest.ID{Kind: "Namespace", Name: "cold"}, nil,
			"objects in it may be held: ClusterPropagationPolicy frozen suspends dispatching on every cluster (policies.yaml:32)"},
		{"namespace with a policy held here", "a", manifest.ID{Kind: "Namespace", Name: "shop"}, nil,
			"objects in it may be held: PropagationPolicy shop/held suspends dispatching on a (policies.yaml:18)"},
		{"namespace nobody is interested in", "a", manifest.ID{Kind: "Namespace", Name: "bare"}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, p.KeepReason(c.cluster, c.id, c.labels))
		})
	}
}

// TestWhatIsNeededStays: existing objects are kept when no choice can be made, and so is what it needs.
func TestWhatIsNeededStays(t *testing.T) {
	p := plan(t, load(t, `
-- all.yaml --
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: settings}}]}]}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: unrelated, namespace: shop}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  propagateDeps: true
  placement: {clusterAffinity: {clusterNames: [gone]}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}, spec: {syncMode: Push}}
`))
	require.Contains(t, p.KeepReason("a", manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}, nil), "no cluster fits")
	require.Contains(t, p.KeepReason("a", manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "settings"}, nil), "apps/Deployment shop/web needs it and is kept")
	require.Empty(t, p.KeepReason("a", manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "unrelated"}, nil))
}

// TestWhatCannotBeAskedStays: discovery that fails in part deletes nothing, even when nothing is known of what was decided.
func TestWhatCannotBeAskedStays(t *testing.T) {
	p := plan(t, load(t, `
-- all.yaml --
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: shop}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: w, namespace: shop}
spec: {resourceSelectors: [{apiVersion: example.com/v1, kind: Widget}]}
---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: in-part}
spec: {syncMode: Push}
status:
  conditions: [{type: CompleteAPIEnablements, status: "False"}]
  apiEnablements: [{groupVersion: v1, resources: [{name: configmaps, kind: ConfigMap}]}]
---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: in-full}
spec: {syncMode: Push}
status:
  conditions: [{type: CompleteAPIEnablements, status: "True"}]
  apiEnablements: [{groupVersion: v1, resources: [{name: configmaps, kind: ConfigMap}]}]
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: never-asked}, spec: {syncMode: Push}}
`))
	widget := manifest.ID{Group: "example.com", Kind: "Widget", Namespace: "shop", Name: "w"}
	require.Len(t, p.Decision(widget).Chosen, 1, "the one that was never asked")
	require.Contains(t, p.KeepReason("in-part", widget, nil), "could not list all its APIs")
	require.Empty(t, p.KeepReason("in-full", widget, nil))
}
