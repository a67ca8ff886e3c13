package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

// planOf plans a Deployment web with nine replicas and the given manifests.
func planOf(t *testing.T, text string) *load.PlannedTree {
	in, err := dump.Read([]byte(`
-- web.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {replicas: 9, template: {spec: {containers: [{name: web, image: nginx}]}}}
` + text))
	require.NoError(t, err)
	plan, err := propagate.New(in)
	require.NoError(t, err)
	return &load.PlannedTree{Tree: &load.Tree{Input: in}, Plan: plan}
}

var webID = manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}

// Every refusal of a placement has a suggestion.
func TestWhatWouldFit(t *testing.T) {
	for _, c := range []struct{ state, cluster, placement, want string }{
		{"not named", "{}", "clusterAffinity: {clusterNames: [eu-2]}", "add the cluster to clusterNames"},
		{"excluded", "{}", "clusterAffinity: {exclude: [eu-1]}", "take the cluster out of exclude"},
		{"a label is missing", "{}", "clusterAffinity: {labelSelector: {matchLabels: {tier: prod}}}", "label its Cluster"},
		{"a label is wrong", "{}", "clusterAffinity:\n      labelSelector:\n        matchExpressions:\n        - {key: tier, operator: Exists}", "label its Cluster"},
		{"a field is wrong", "{region: us}", "clusterAffinity: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [eu]}]}}", "set provider, region or zones"},
		{"a taint, and no tolerations", "{taints: [{key: old, effect: NoSchedule}]}", "clusterAffinity: {}", "add a toleration to spec.placement.clusterTolerations"},
		{"a taint, and other tolerations", "{taints: [{key: old, effect: NoSchedule}]}", "clusterTolerations: [{key: new, operator: Exists}]", "add a toleration of that taint"},
		{"no weight", "{}", "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [eu-2]}, weight: 1}]}}", "add an entry with a targetCluster"},
		{"too little weight", "{}", "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {staticWeightList: [{targetCluster: {clusterNames: [eu-1]}, weight: 1}, {targetCluster: {clusterNames: [eu-2]}, weight: 1000}]}}", "raise the replicas in the manifest"},
		{"without the field that is spread by", "{}", "spreadConstraints: [{spreadByField: cluster, minGroups: 1}, {spreadByField: region, minGroups: 1}]", "set spec.region of its Cluster"},
		{"one too many", "{}", "spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]", "raise maxGroups"},
		{"of another affinity", "{}", "clusterAffinities: [{affinityName: a, clusterNames: [eu-2]}]", "add the cluster to clusterNames"},
	} {
		t.Run(c.state, func(t *testing.T) {
			p := planOf(t, `
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    `+c.placement+`
-- clusters.yaml --
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: eu-1}
spec: `+strings.Replace(c.cluster, "{", "{syncMode: Push, ", 1)+`
---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: eu-2}
spec: {syncMode: Push, region: eu}
`)
			clusters := Object(p, nil, webID, "").Clusters
			i := slices.IndexFunc(clusters, func(c Decision) bool { return !c.Chosen })
			require.GreaterOrEqual(t, i, 0, "no cluster was refused")
			require.NotEmpty(t, clusters[i].Why)
			require.Contains(t, clusters[i].Fit, c.want)
		})
	}
}

// TestDefectD2FitFollowsTheReason: one field refuses for opposite reasons, and the advice helps. The last case is defect
// D18.
func TestDefectD2FitFollowsTheReason(t *testing.T) {
	const (
		dynamic = "replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted, weightPreference: {dynamicWeight: AvailableReplicas}}"
		full    = `status: {resourceSummary: {allocatable: {pods: "2"}}}`
		roomy   = `status: {resourceSummary: {allocatable: {pods: "99"}}}`
	)
	for _, c := range []struct{ state, cluster, placement, want string }{
		{"too little room on all", "{}\n" + full, dynamic, "lower the replicas"},
		{"room that is not known", "{}", dynamic, "write status.resourceSummary"},
		{"no room on one", "{}\nstatus: {resourceSummary: {allocatable: {pods: \"0\"}}}", dynamic, "free resources on the cluster"},
		{"too few clusters", "{}", "spreadConstraints: [{spreadByField: cluster, minGroups: 4}]", "lower minGroups"},
		{"no region, in block form", "{}", "spreadConstraints:\n    - spreadByField: region\n      minGroups: 1\n    - spreadByField: cluster\n      minGroups: 1", "set spec.region"},
		{"a region that is not needed", "{region: us}\n" + roomy,
			"spreadConstraints: [{spreadByField: region, minGroups: 1, maxGroups: 3}, {spreadByField: cluster, minGroups: 1}]", "raise minGroups"},
		{"a region above the maximum", "{region: us}\n" + roomy,
			"spreadConstraints: [{spreadByField: region, minGroups: 1, maxGroups: 1}, {spreadByField: cluster, minGroups: 1}]", "raise maxGroups"},
		{"standby", "{}", "clusterAffinities: [{affinityName: active, clusterNames: [eu-2]}, {affinityName: standby, clusterNames: [eu-1]}]",
			`nothing while affinity "active" works`},
	} {
		t.Run(c.state, func(t *testing.T) {
			status := full
			if strings.Contains(c.state, "region") || strings.Contains(c.state, "one") {
				status = roomy
			}
			p := planOf(t, `
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    `+c.placement+`
-- clusters.yaml --
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: eu-1}
spec: `+strings.Replace(c.cluster, "{", "{syncMode: Push, ", 1)+`
---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: eu-2}
spec: {syncMode: Push, region: eu}
`+status+`
`)
			clusters := Object(p, nil, webID, "").Clusters
			i := slices.IndexFunc(clusters, func(d Decision) bool { return d.Cluster == "eu-1" })
			require.False(t, clusters[i].Chosen)
			require.Contains(t, clusters[i].Fit, c.want, clusters[i].Why)
		})
	}
}

// A policy that does not claim the object names the rule, in the order of the rules.
func TestLostPolicies(t *testing.T) {
	p := planOf(t, `
-- policies.yaml --
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: b, namespace: shop}, spec: {priority: 5, resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: web}}}]}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: c, namespace: shop}, spec: {priority: 5, resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {}}]}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: d, namespace: shop}, spec: {priority: 5, resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: e, namespace: shop}, spec: {priority: 4, resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]}}
---
{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: a}, spec: {priority: 9, resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]}}
`)
	r := Object(p, nil, webID, "")
	require.Equal(t, &MatchingPolicy{"PropagationPolicy shop/b", "policies.yaml:1", "selects it by labels, priority 5"}, r.Policy)
	require.Equal(t, []MatchingPolicy{
		{"PropagationPolicy shop/c", "policies.yaml:3", "as good a match, and of names the smaller one wins: b before c"},
		{"PropagationPolicy shop/d", "policies.yaml:5", "selects it by kind, which is less exact than by labels"},
		{"PropagationPolicy shop/e", "policies.yaml:7", "priority 4 is less than 5"},
		{"ClusterPropagationPolicy a", "policies.yaml:9", "a policy in the object's namespace comes before every cluster-wide one"},
	}, r.Others)
}

// Clusters with the same decision share a line, and so do clusters without a note.
func TestManyClusters(t *testing.T) {
	var clusters strings.Builder
	for i := range 30 {
		fmt.Fprintf(&clusters, "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: c-%02d}\nspec: {syncMode: Push}\n", i)
	}
	p := planOf(t, `
-- policy.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}], placement: {clusterAffinity: {exclude: [c-03, c-04]}}}
-- clusters.yaml --
`+clusters.String())
	var b strings.Builder
	Object(p, nil, webID, "").write(&b)
	require.Equal(t, `apps/Deployment shop/web goes to 28 of 30 clusters, 252 replicas in all
  manifest  web.yaml:1
  policy    PropagationPolicy shop/web (policy.yaml:1) selects it by kind, priority 0

28 clusters: chosen, 9 replicas each: all of them (no replicaScheduling)
  c-00, c-01, c-02, c-05, c-06, c-07, c-08, c-09, c-10, c-11, c-12, c-13 and 16 more

2 clusters: not chosen: is in exclude (policy.yaml:4)
  c-03, c-04
  would fit: take the cluster out of exclude
`, b.String())

	live := &LiveObject{Hub: "h", Federation: "f", Same: true}
	for i := range 30 {
		live.Clusters = append(live.Clusters, liveCluster{Cluster: fmt.Sprintf("c-%02d", i), Held: i == 7})
	}
	b.Reset()
	require.NoError(t, live.write(&b))
	require.Contains(t, b.String(), "c-07     Held")
	require.NotContains(t, b.String(), "c-08")
	require.Contains(t, b.String(), "  +29 of which there is nothing to say\n")
}

// Without Clusters, the reason is the hub that has them, or that nobody declares any.
func TestWhyNoClusterIsKnown(t *testing.T) {
	p := planOf(t, "")
	require.Contains(t, Object(p, nil, webID, "").Notes, load.NoClusters)
	r := Object(p, &load.LiveHub{Hub: &hub.Hub{Config: &rest.Config{}}, Err: errors.New("specify a federation: a, b")}, webID, "")
	require.Contains(t, r.Notes, "no Cluster is known, because accord did not read the hub")
	require.NotContains(t, r.Notes, load.NoClusters)
	require.Equal(t, "specify a federation: a, b", r.Live.Message)
}
