package reconciler_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// buildFailed waits until a commit is rejected, and requires the words in the message of its Release.
func (w *world) buildFailed(r *repository, sha string, words ...string) {
	w.t.Helper()
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "BuildFailed")
	require.True(w.t, apimeta.IsStatusConditionTrue(release.Status.Conditions, "Stalled"))
	message := apimeta.FindStatusCondition(release.Status.Conditions, "Ready").Message
	for _, word := range words {
		require.Contains(w.t, message, word)
	}
}

// labelled sets a label of a Cluster on the hub; null removes it.
func (w *world) labelled(cluster, key, value string) {
	w.t.Helper()
	c := &v1alpha1.Cluster{}
	c.Name = cluster
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"`+key+`":`+value+`}}}`))
	require.NoError(w.t, w.hub.Patch(w.t.Context(), c, patch))
}

// oneCanary has the last stage select every cluster that the affinity selects.
func oneCanary(affinity string) string {
	return `apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: standard}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  stages:
  - {name: canary, clusterAffinity: {clusterNames: [cluster-a]}}
  - {name: rest, clusterAffinity: ` + affinity + `}
`
}

// defectF1: production never goes before a canary that has lost its cluster.
func defectF1(t *testing.T, w *world) {
	r := w.federation("astray")
	w.labelled("cluster-a", "canary", `"yes"`)
	first := r.push("first", "app.yaml", configMap("astray", "1"), "policy.yaml", policyFor("astray", fleetOfThree, ""),
		"stages.yaml", oneCanary("{exclude: [cluster-a]}"))
	w.ready(r, first)

	forgotten := r.push("a forgotten exclude", "app.yaml", configMap("astray", "2"), "stages.yaml", oneCanary("{}"))
	w.buildFailed(r, forgotten, "stages.yaml:8", "cluster-a is in several stages: canary, rest", "rollout-stages")
	require.Equal(t, []string{"1", "1", "1"}, w.keys("astray"))

	byLabel := oneCanary("{labelSelector: {matchExpressions: [{key: canary, operator: DoesNotExist}]}}")
	w.ready(r, r.push("by a label", "app.yaml", configMap("astray", "2"), "stages.yaml", byLabel))
	w.labelled("cluster-a", "canary", "null")
	next := r.push("next", "app.yaml", configMap("astray", "3"))
	paused := w.rollout(r, next, "Paused", "canary")
	require.Contains(t, paused.Message, "cluster-a is in 2 stages: canary, rest")
	require.Equal(t, []string{"2", "2", "2"}, w.keys("astray"), "the mistake came with the fleet: the commit is accepted, and nobody goes first")

	w.labelled("cluster-a", "canary", `"yes"`)
	w.ready(r, next)
	require.Equal(t, []string{"3", "3", "3"}, w.keys("astray"))
}

// defectR4: an object and the policy whose suspension holds it leave Git in one commit.
func defectR4(t *testing.T, w *world) {
	r := w.federation("parting")
	stay := "staying.yaml"
	first := r.push("first", stay, configMap("staying", "1"), "app.yaml", configMap("parting", "1"), "policy.yaml", policyFor("parting", fleetOfThree, ""))
	w.ready(r, first)
	only := func(name, more string) string {
		return `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: ` + name + `}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: ` + name + `}]
` + more
	}
	suspended := r.push("suspend", "policy.yaml", only("staying", ""),
		"own.yaml", only("parting", "  suspension: {dispatchingOnClusters: {clusterNames: [cluster-b]}}\n"))
	w.ready(r, suspended)

	gone := r.push("remove both", "app.yaml", "", "own.yaml", "")
	w.buildFailed(r, gone, "the hold of cluster-b ends with this commit, and deletes 1 object there (ConfigMap shop/parting)", "own.yaml:6")
	require.Equal(t, []string{"1", "1", "1"}, w.keys("parting"))

	w.ready(r, r.push("remove both, and mean it\n\n"+"Accord-Prune: allow"))
	require.Equal(t, []string{"-", "-", "-"}, w.keys("parting"))
}

// defectR4Earlier: an object left Git while a cluster was held; the hold ends later, by a commit or on the hub.
func defectR4Earlier(t *testing.T, w *world) {
	r := w.federation("earlier")
	suspended := "  suspension: {dispatchingOnClusters: {clusterNames: [cluster-b]}}\n"
	w.ready(r, r.push("first", "stay.yaml", configMap("stays", "1"), "one.yaml", configMap("earlier-one", "1"),
		"two.yaml", configMap("earlier-two", "1"), "policy.yaml", policyFor("earlier", fleetOfThree, "")))
	w.ready(r, r.push("suspend", "policy.yaml", policyFor("earlier", fleetOfThree, suspended)))
	r.push("remove one", "one.yaml", "")
	w.keysAre("earlier-one", "-", "1", "-")

	ended := r.push("the suspension ends", "policy.yaml", policyFor("earlier", fleetOfThree, ""))
	blocked := w.condition(r, ended, "Ready", metav1.ConditionFalse, "PruneBlocked")
	require.Contains(t, apimeta.FindStatusCondition(blocked.Status.Conditions, "Ready").Message, "the hold ends, and that deletes 1 object (ConfigMap shop/earlier-one)")
	require.Equal(t, []string{"-", "1", "-"}, w.keys("earlier-one"))
	w.ready(r, r.push("and is meant to\n\n"+"Accord-Prune: allow"))
	w.keysAre("earlier-one", "-", "-", "-")

	w.holdCluster("cluster-b", &v1alpha1.ClusterHold{Reason: "maintenance"})
	gone := r.push("remove two", "two.yaml", "")
	w.keysAre("earlier-two", "-", "1", "-")
	w.holdCluster("cluster-b", nil)
	w.condition(r, gone, "Ready", metav1.ConditionFalse, "PruneBlocked")
	require.Equal(t, []string{"-", "1", "-"}, w.keys("earlier-two"))
	w.ready(r, r.push("remove two, also there\n\n"+"Accord-Prune: allow"))
	w.keysAre("earlier-two", "-", "-", "-")
}

// keysAre waits until the ConfigMap has these values on the clusters.
func (w *world) keysAre(name string, want ...string) {
	w.t.Helper()
	w.eventually(name+" to be as wanted", func() error {
		got := w.keys(name)
		return unless(slices.Equal(got, want), fmt.Sprint(got))
	})
}
