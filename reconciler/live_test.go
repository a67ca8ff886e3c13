package reconciler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const liveNamespace = "live"

// liveCluster: cluster-a is production and a source of the Federation, cluster-b its standby. The policy is in Git.
func liveCluster(t *testing.T, w *world) {
	production, standby := w.members["cluster-a"], w.members["cluster-b"]
	require.NoError(t, production.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: liveNamespace}}))
	put := func(name, value string) {
		t.Helper()
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: liveNamespace, Name: name}, Data: map[string]string{"key": value}}
		if err := production.Update(t.Context(), m); err != nil {
			require.NoError(t, production.Create(t.Context(), m))
		}
	}
	onStandby := func() map[string]string {
		list := &corev1.ConfigMapList{}
		require.NoError(t, standby.List(t.Context(), list, client.InNamespace(liveNamespace)))
		found := map[string]string{}
		for _, m := range list.Items {
			if m.Name != "kube-root-ca.crt" {
				found[m.Name] = m.Data["key"]
			}
		}
		return found
	}
	becomes := func(want map[string]string) {
		t.Helper()
		w.eventually("the standby to follow", func() error {
			found := onStandby()
			return unless(fmt.Sprint(found) == fmt.Sprint(want), fmt.Sprint(found))
		})
	}
	for i := range 4 {
		put(fmt.Sprint("live-", i), "1")
	}

	r := newRepository(t)
	r.federation = "live"
	r.commit("a policy", "grant.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: live, name: in-git}\n", "policy.yaml", `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: live, namespace: live}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  placement: {clusterAffinity: {clusterNames: [cluster-a, cluster-b]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: live, namespace: live}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: live-0}]
  overrideRules: [{overriders: {plaintext: [{path: /data/key, operator: replace, value: standby}]}}]
`)
	r.git(r.work, "push", "--quiet", "origin", "HEAD:main")
	live := &v1alpha1.ClusterSource{Name: "cluster-a", Namespaces: []string{liveNamespace}, Kinds: []string{"ConfigMap"}}
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Interval.Duration = time.Minute
		spec.Sources = append(spec.Sources, v1alpha1.Source{Name: "prod", Cluster: live})
	})
	want := map[string]string{"in-git": "", "live-0": "standby", "live-1": "1", "live-2": "1", "live-3": "1"}
	becomes(want)
	put("live-1", "2")
	want["live-1"] = "2"
	becomes(want)
	require.NoError(t, production.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: liveNamespace, Name: "live-3"}}))
	delete(want, "live-3")
	becomes(want)
	put("live-1", "1") // a revision that was there before
	want["live-1"] = "1"
	becomes(want)

	w.stop()
	before := w.configMapWrites()
	w.run()
	put("live-2", "2")
	want["live-2"] = "2"
	becomes(want)
	require.Equal(t, before+3, w.configMapWrites(), "the change in production, the dry-run of its copy and the copy are all that was written after the restart")

	w.cables["cluster-a"].setCut(true)
	require.NoError(t, production.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: liveNamespace, Name: "live-2"}}))
	w.federationIs(r, "Ready", metav1.ConditionFalse, "FetchFailed")
	require.Equal(t, want, onStandby(), "a cluster that cannot be read is not empty")
	w.cables["cluster-a"].setCut(false)
	delete(want, "live-2")
	becomes(want)

	list := &corev1.ConfigMapList{}
	require.NoError(t, production.List(t.Context(), list, client.InNamespace(liveNamespace)))
	for _, m := range list.Items {
		require.NotContains(t, fmt.Sprint(m.ManagedFields, m.Labels, m.Annotations), "accord", "production is not written to")
	}
	release := &v1alpha1.ReleaseList{}
	require.NoError(t, w.hub.List(t.Context(), release, client.MatchingLabels{v1alpha1.FederationLabel: "live"}))
	require.Regexp(t, `cluster@sha256:[0-9a-f]{64}`, fmt.Sprint(release.Items[0].Spec.Sources))
}
