package reconciler_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
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

// hostileCredentials: a commit can neither have a token sent to its author nor take a Cluster that somebody joined.
func hostileCredentials(t *testing.T, w *world) {
	var seen atomic.Int64
	loot := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	defer loot.Close()
	r := w.federation("thief")
	app := []string{"app.yaml", configMap("thief", "1"), "policy.yaml", policyFor("thief", []string{"cluster-a"}, "")}
	w.ready(r, r.push("first", app...))
	cluster := func(name, spec string) string {
		return fmt.Sprintf("apiVersion: accord.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %s}\nspec: {%s}\n", name, spec)
	}

	steal := fmt.Sprintf("apiEndpoint: '%s', insecureSkipTLSVerification: true, secretRef: {namespace: %s, name: ", loot.URL, w.namespace)
	w.ready(r, r.push("a Cluster with the Secret of another", "loot.yaml", cluster("loot", steal+"cluster-a}")))
	w.clusterIs("loot", metav1.ConditionFalse, clusters.CredentialsRefused)
	w.eventually("an event", func() error {
		events := &corev1.EventList{}
		require.NoError(t, w.hub.List(t.Context(), events))
		return unless(slices.ContainsFunc(events.Items, func(e corev1.Event) bool {
			return e.Reason == clusters.CredentialsRefused && e.InvolvedObject.Name == "loot"
		}), "none")
	})
	w.ready(r, r.push("the Secret of a Git server", "loot.yaml", cluster("loot", strings.Replace(steal, "namespace: "+w.namespace, "namespace: default", 1)+"bot}")))
	w.clusterIs("loot", metav1.ConditionFalse, clusters.CredentialsRefused)
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "loot-bot"}, StringData: map[string]string{"token": "sesame", "cluster": "loot", "server": loot.URL}})
	w.ready(r, r.push("a Secret of another type", "loot.yaml", cluster("loot", steal+"loot-bot}")))
	w.clusterIs("loot", metav1.ConditionFalse, clusters.CredentialsRefused)

	before := w.cluster("cluster-a")
	w.buildFailed(r, r.push("an administrator's Cluster", "taken.yaml", cluster("cluster-a", "apiEndpoint: '"+loot.URL+"'")), "taken.yaml:1", "set spec.apiEndpoint on the hub")
	w.buildFailed(r, r.push("its proxy", "taken.yaml", cluster("cluster-a", "proxyURL: '"+loot.URL+"'")), "taken.yaml:1", "set spec.proxyURL on the hub")
	w.buildFailed(r, r.push("its label", "taken.yaml", "apiVersion: accord.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: cluster-a\n  labels:\n    name: mine\n"),
		"taken.yaml:1", "set metadata.labels.name on the hub")
	w.buildFailed(r, r.push("its owner", "taken.yaml", "apiVersion: accord.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: cluster-a\n  labels:\n    accord.dev/declared-by: ''\n"),
		"taken.yaml:6", "is reserved")
	require.Equal(t, before.Labels, w.cluster("cluster-a").Labels)
	require.Equal(t, before.Spec, w.cluster("cluster-a").Spec)
	w.ready(r, r.push("fields that nobody owns", "taken.yaml", cluster("cluster-a", "provider: bare, apiEndpoint: '"+before.Spec.APIEndpoint+"'")))
	require.Equal(t, "bare", w.cluster("cluster-a").Spec.Provider)

	require.NoError(t, w.hub.Patch(t.Context(), w.cluster("cluster-a"), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"provider":"cloud"}}`))))
	w.buildFailed(r, r.push("over a person", "app.yaml", configMap("thief", "2")), "taken.yaml:1", "set spec.provider on the hub")
	require.Equal(t, "cloud", w.cluster("cluster-a").Spec.Provider)
	w.ready(r, r.push("all leaves Git", "taken.yaml", "", "loot.yaml", ""))
	w.goes("loot")
	after := w.cluster("cluster-a")
	require.Equal(t, before.Labels, after.Labels)
	require.Equal(t, before.Spec.APIEndpoint, after.Spec.APIEndpoint)
	require.Equal(t, before.Spec.SecretRef, after.Spec.SecretRef)
	require.Equal(t, "cloud", after.Spec.Provider, "the person's")
	require.NoError(t, w.hub.Patch(t.Context(), after, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"provider":null}}`))))
	require.Zero(t, seen.Load(), "nothing is sent to the author's server")
}
