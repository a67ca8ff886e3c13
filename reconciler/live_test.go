package reconciler_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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
	r := newRepository(t)
	r.federation = "live"
	becomes := func(want map[string]string) {
		t.Helper()
		w.eventually("the standby to follow", func() error {
			found := onStandby()
			return unless(fmt.Sprint(found) == fmt.Sprint(want), fmt.Sprint(found, w.declared(r).Status.Conditions))
		})
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: liveNamespace, Name: "bound"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, VolumeName: "volume-of-production",
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	require.NoError(t, production.Create(t.Context(), claim))
	claim.Status.Phase = corev1.ClaimBound
	require.NoError(t, production.Status().Update(t.Context(), claim))
	for i := range 4 {
		put(fmt.Sprint("live-", i), "1")
	}

	policies := `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: live, namespace: live}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}, {apiVersion: v1, kind: PersistentVolumeClaim}]
  placement: {clusterAffinity: {clusterNames: [cluster-a, cluster-b]}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: live, namespace: live}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: live-0}]
  overrideRules: [{overriders: {plaintext: [{path: /data/key, operator: replace, value: standby}]}}]
`
	r.commit("a policy", "grant.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: live, name: in-git}\n---\n"+
		"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {namespace: live, name: in-git}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n", "policy.yaml", policies)
	r.git(r.work, "push", "--quiet", "origin", "HEAD:main")
	live := &v1alpha1.ClusterSource{Name: "cluster-a", Namespaces: []string{liveNamespace}, Kinds: []string{"ConfigMap", "PersistentVolumeClaim"}}
	w.declare(r, func(spec *v1alpha1.FederationSpec) {
		spec.Interval.Duration = time.Minute
		spec.Sources = append(spec.Sources, v1alpha1.Source{Name: "prod", Cluster: live, Timeout: metav1.Duration{Duration: 3 * time.Second}})
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

	// Production is a black hole, and accord restarts. It goes on with the objects that it read last: it repairs them, and takes a change
	// of the policies to the standby, as a switch-over needs.
	w.stop()
	w.cables["cluster-a"].setSilent(true)
	require.NoError(t, production.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: liveNamespace, Name: "live-1"}}))
	edited := &corev1.ConfigMap{}
	require.NoError(t, standby.Get(t.Context(), client.ObjectKey{Namespace: liveNamespace, Name: "live-1"}, edited))
	edited.Data["key"] = "by hand"
	require.NoError(t, standby.Update(t.Context(), edited))
	w.runIn(w.cache)
	becomes(want)
	w.federationIs(r, "Ready", metav1.ConditionFalse, "FetchFailed")
	require.Regexp(t, `a live cluster cannot be read, and accord plans with the objects that it read last: source "prod": .*cluster cluster-a: .*\(unread since 20`, fmt.Sprint(w.declared(r).Status.Conditions))
	r.push("switch over", "policy.yaml", strings.ReplaceAll(policies, "value: standby", "value: switched"))
	w.asked(r, v1alpha1.RequestedAtAnnotation, "after the push")
	want["live-0"] = "switched"
	becomes(want)
	w.federationIs(r, "Ready", metav1.ConditionFalse, "FetchFailed")
	w.cables["cluster-a"].setSilent(false)
	delete(want, "live-1")
	becomes(want)
	put("live-1", "1")
	want["live-1"] = "1"
	becomes(want)

	t.Run("karmada#3834: a name of 253 characters", func(t *testing.T) {
		name := strings.Repeat("long.", 50) + "end"
		require.Len(t, name, 253)
		put(name, "1")
		want[name] = "1"
		becomes(want)
	})
	takeOver(w, r, want, put, becomes)
	t.Run("karmada#3907: production and its status are not written to", func(t *testing.T) {
		list := &corev1.ConfigMapList{}
		require.NoError(t, production.List(t.Context(), list, client.InNamespace(liveNamespace)))
		for _, m := range list.Items {
			require.NotContains(t, fmt.Sprint(m.ManagedFields, m.Labels, m.Annotations), "accord")
		}
		bound := &corev1.PersistentVolumeClaim{}
		require.NoError(t, production.Get(t.Context(), client.ObjectKeyFromObject(claim), bound))
		require.Equal(t, claim, bound)
	})
	release := &v1alpha1.ReleaseList{}
	require.NoError(t, w.hub.List(t.Context(), release, client.MatchingLabels{v1alpha1.FederationLabel: "live"}))
	require.Regexp(t, `cluster@sha256:[0-9a-f]{64}`, fmt.Sprint(release.Items[0].Spec.Sources))
}

// takeOver: production does not answer, and a commit makes the standby active. Production returns and is not followed until a commit makes
// it active again.
func takeOver(w *world, r *repository, want map[string]string, put func(name, value string), becomes func(map[string]string)) {
	plan := func(active string) string {
		return "apiVersion: accord.dev/v1alpha1\nkind: RecoveryPlan\nmetadata: {name: live}\nspec:\n  source: prod\n  standby: cluster-b\n" +
			"  passiveOverrides: [{kind: OverridePolicy, namespace: live, name: live}]\n" + active
	}
	push := func(active string) {
		r.commit("who is active", "recovery.yaml", plan(active))
		r.git(r.work, "push", "--quiet", "origin", "HEAD:main")
	}
	push("")
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to read the plan")
	w.cables["cluster-a"].setCut(true)
	w.federationIs(r, "Ready", metav1.ConditionFalse, "FetchFailed")
	fed, released := w.declared(r), &v1alpha1.Release{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: fed.Namespace, Name: fed.Status.Release}, released))
	require.Equal(w.t, "prod", released.Spec.Sources[1].Name)

	push("  active: Standby\n  revision: " + released.Spec.Sources[1].Revision + "\n")
	active := maps.Clone(want)
	active["live-0"] = "1" // the value of production
	becomes(active)

	w.stop()
	w.runIn(w.cache)
	// A repair proves that the new process has the objects of production, which still does not answer.
	require.NoError(w.t, w.members["cluster-b"].Delete(w.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: liveNamespace, Name: "live-1"}}))
	becomes(active)

	w.cables["cluster-a"].setCut(false)
	put("live-1", "by production")
	w.asked(r, v1alpha1.RequestedAtAnnotation, "to see that the standby does not follow")
	becomes(active)
	push("")
	want["live-1"] = "by production"
	becomes(want)
}
