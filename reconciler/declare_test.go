package reconciler_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// hostile is a Cluster manifest that takes a cluster from everybody.
func hostile(name string) string {
	return `apiVersion: accord.dev/v1alpha1
kind: Cluster
metadata: {name: ` + name + `, labels: {taken: "yes"}}
spec:
  hold: {reason: taken}
  taints: [{key: taken, effect: NoExecute}]
`
}

// asBefore requires that the Clusters of the hub have the labels and specs that they had.
func (w *world) asBefore(before *v1alpha1.ClusterList, message string) {
	w.t.Helper()
	now := &v1alpha1.ClusterList{}
	require.NoError(w.t, w.hub.List(w.t.Context(), now))
	require.Len(w.t, now.Items, len(before.Items), message)
	for i := range now.Items {
		a, b := before.Items[i], now.Items[i]
		require.Equal(w.t, a.Name, b.Name, message)
		require.Equal(w.t, a.Labels, b.Labels, message)
		require.Equal(w.t, a.Spec, b.Spec, message)
		require.Nil(w.t, b.DeletionTimestamp, message)
	}
}

// clusters lists the Clusters of the hub.
func (w *world) clusters() *v1alpha1.ClusterList {
	w.t.Helper()
	list := &v1alpha1.ClusterList{}
	require.NoError(w.t, w.hub.List(w.t.Context(), list))
	return list
}

// hostileUnapprovedCluster: a commit that only adds, changes or removes Clusters awaits approval, and writes none of them before.
func hostileUnapprovedCluster(t *testing.T, w *world) {
	r := w.approving("hostile")
	first := r.push("first", "app.yaml", configMap("hostile", "1"), "policy.yaml", policyFor("hostile", []string{"cluster-a"}, ""))
	w.approve(w.held(r, first), w.held(r, first).Spec.PlanDigest)
	w.ready(r, first)

	before := w.clusters()
	added := r.push("docs: nothing to see", "far.yaml", clusterInGit("hostile-far", "prod", "eu"))
	release := w.held(r, added)
	w.asBefore(before, "an unapproved commit adds a Cluster")
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, added)
	require.Equal(t, "eu", w.cluster("hostile-far").Spec.Region)

	before = w.clusters()
	w.held(r, r.push("docs: typo", "far.yaml", clusterInGit("hostile-far", "test", "us")))
	w.asBefore(before, "an unapproved commit changes a Cluster that Git declares")
	w.held(r, r.push("docs: another typo", "far.yaml", clusterInGit("hostile-far", "prod", "eu"), "taken.yaml", hostile("cluster-b")))
	w.asBefore(before, "an unapproved commit takes a Cluster that somebody joined")
	gone := r.push("docs: remove a file", "taken.yaml", "", "far.yaml", "")
	release = w.held(r, gone)
	w.asBefore(before, "an unapproved commit removes a Cluster")
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, gone)
	w.goes("hostile-far")

	again := r.push("docs: nothing else", "note.txt", "nothing that matters")
	w.ready(r, again) // it approves itself: Clusters are as they were
}

// defectF1Declares: neither a refused commit nor one that the prune limits or a dry-run stop declares a Cluster.
func defectF1Declares(t *testing.T, w *world) {
	r := w.federation("quiet")
	var many strings.Builder
	for i := range 6 {
		many.WriteString("---\n" + configMap(fmt.Sprintf("quiet-%d", i), "1"))
	}
	first := r.push("first", "app.yaml", configMap("quiet", "1"), "many.yaml", many.String(), "policy.yaml", policyFor("quiet", both, ""),
		"far.yaml", clusterInGit("quiet-far", "prod", "eu"))
	w.ready(r, first)
	require.Equal(t, "eu", w.cluster("quiet-far").Spec.Region)
	before := w.clusters()
	changes := []string{"far.yaml", "", "farther.yaml", clusterInGit("quiet-farther", "prod", "eu"), "taken.yaml", hostile("cluster-b")}
	undo := []string{"far.yaml", clusterInGit("quiet-far", "prod", "eu"), "farther.yaml", "", "taken.yaml", ""}

	broken := "apiVersion: accord.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {namespace: shop, name: broken}\nspec:\n" +
		"  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]\n  stages:\n" +
		"  - {name: canary, clusterAffinity: {clusterNames: [cluster-a]}}\n  - {name: rest, clusterAffinity: {}}\n"
	refused := r.push("refused", append(changes, "stages.yaml", broken, "app.yaml", configMap("quiet", "2"))...)
	w.buildFailed(r, refused, "rollout-stages")
	w.asBefore(before, "a refused commit")

	w.ready(r, r.push("undo", append(undo, "stages.yaml", "", "app.yaml", configMap("quiet", "1"))...))
	blocked := r.push("prune", append(changes, "many.yaml", "")...)
	w.condition(r, blocked, "Ready", metav1.ConditionFalse, "PruneBlocked")
	w.asBefore(before, "a commit that the prune limits stop")

	w.ready(r, r.push("undo", append(undo, "many.yaml", many.String())...))
	denied := r.push("denied", append(changes, "bad.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: shop, name: quiet-bad}\ndata: {'a b': '1'}\n")...)
	w.condition(r, denied, v1alpha1.DryRunSucceeded, metav1.ConditionFalse, "")
	w.asBefore(before, "a commit that a cluster rejects")

	over := r.push("undo, and leave", "bad.yaml", "", "farther.yaml", "", "taken.yaml", "")
	w.ready(r, over)
	w.goes("quiet-far")
}
