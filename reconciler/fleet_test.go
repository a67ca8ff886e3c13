package reconciler_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// TestFleetInGit follows one fleet through its life: what clusters are is said in Git, how to reach them on the hub.
func TestFleetInGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	r := w.federation("fleet")
	sha := r.push("two clusters in production",
		"clusters.yaml", clusterInGit("cluster-a", "prod", "eu")+clusterInGit("cluster-b", "prod", "us"),
		"app.yaml", configMap("placed", "1"), "policy.yaml", policyByTier("prod"),
		"anchor.yaml", configMap("anchor", "1"), "anchored.yaml", policyOf("anchor", "clusterNames: [cluster-a, cluster-b]"))
	w.ready(r, sha)
	require.False(t, w.absent("cluster-a", "placed"))
	require.False(t, w.absent("cluster-b", "placed"))
	b := w.cluster("cluster-b")
	require.Equal(t, "us", b.Spec.Region)
	require.Equal(t, "cluster-b", b.Labels["name"], "what was set on the hub stays")
	require.NotNil(t, b.Spec.SecretRef, "what was set on the hub stays")

	for _, stage := range []struct {
		name string
		run  func(*testing.T, *world, *repository)
	}{
		{"a label in Git moves objects", labelChanges},
		{"a cluster that only Git knows is not connected", onlyInGit},
		{"a cluster that is known on the hub leaves Git", leavesGit},
		{"a cluster is deleted on the hub", deletedOnHub},
		{"credentials are wrong, and right again", credentialsChange},
		{"HostileOldToken: a token of ten minutes is renewed", hostileOldToken},
		{"DefectF4: a cluster is another one than spec.id", anotherCluster},
		{"DefectF4: two Clusters are one cluster", twoNames},
	} {
		require.True(t, t.Run(stage.name, func(t *testing.T) {
			inner := *w
			inner.t = t
			stage.run(t, &inner, r)
		}), "what follows builds on it")
	}
}

func labelChanges(t *testing.T, w *world, r *repository) {
	w.ready(r, r.push("b is for testing", "clusters.yaml", clusterInGit("cluster-a", "prod", "eu")+clusterInGit("cluster-b", "test", "us")))
	require.False(t, w.absent("cluster-a", "placed"))
	w.eventually("the object to leave cluster-b", func() error { return unless(w.absent("cluster-b", "placed"), "it is there") })

	w.ready(r, r.push("b is in production", "clusters.yaml", clusterInGit("cluster-a", "prod", "eu")+clusterInGit("cluster-b", "prod", "us")))
	require.False(t, w.absent("cluster-b", "placed"))
}

func onlyInGit(t *testing.T, w *world, r *repository) {
	known := clusterInGit("cluster-a", "prod", "eu") + clusterInGit("cluster-b", "prod", "us")
	sha := r.push("a third cluster", "clusters.yaml", known+clusterInGit("cluster-c", "prod", "us"), "app.yaml", configMap("placed", "2"))
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
	require.EqualValues(t, 2, release.Status.Summary.Healthy)
	require.EqualValues(t, 1, release.Status.Summary.Unreachable)
	require.Contains(t, release.Status.NotReadyClusters[0].Message, "not connected")
	w.clusterIs("cluster-c", metav1.ConditionFalse, "")
	require.Equal(t, "2", w.configMap("cluster-a", "placed").Data["key"])

	pulling := strings.Replace(clusterInGit("cluster-d", "none", "us"), "syncMode: Push", "syncMode: Pull", 1)
	r.push("a fourth cluster, in pull mode", "clusters.yaml", known+pulling)
	w.eventually("cluster-d to be declared", func() error { return w.hub.Get(t.Context(), client.ObjectKey{Name: "cluster-d"}, &v1alpha1.Cluster{}) })
	w.clusterIs("cluster-d", metav1.ConditionUnknown, v1alpha1.AgentNotConnected)

	w.ready(r, r.push("no third cluster", "clusters.yaml", known))
	require.True(t, apierrors.IsNotFound(w.hub.Get(t.Context(), client.ObjectKey{Name: "cluster-c"}, &v1alpha1.Cluster{})))
	w.eventually("its Delivery to go", func() error { return w.noDelivery(r, "cluster-c") })
}

func leavesGit(t *testing.T, w *world, r *repository) {
	w.ready(r, r.push("Git says nothing of b", "clusters.yaml", clusterInGit("cluster-a", "prod", "eu")))
	b := w.cluster("cluster-b")
	require.Empty(t, b.Spec.Region)
	require.Equal(t, map[string]string{"name": "cluster-b"}, b.Labels)
	require.NotNil(t, b.Spec.SecretRef)
	w.eventually("the object to leave cluster-b", func() error { return unless(w.absent("cluster-b", "placed"), "it is there") })

	w.ready(r, r.push("every cluster", "policy.yaml", policyOf("placed", "exclude: []")))
	require.False(t, w.absent("cluster-b", "placed"))
}

func deletedOnHub(t *testing.T, w *world, r *repository) {
	before := w.configMap("cluster-b", "placed").UID
	b := w.cluster("cluster-b")
	require.NoError(t, w.hub.Delete(t.Context(), b))
	w.goes("cluster-b")
	w.eventually("its Delivery to go", func() error { return w.noDelivery(r, "cluster-b") })
	release := w.ready(r, r.push("without b", "app.yaml", configMap("placed", "3")))
	require.EqualValues(t, 1, release.Status.Summary.Total)
	require.Equal(t, before, w.configMap("cluster-b", "placed").UID, "nothing is deleted there")
	require.Equal(t, "2", w.configMap("cluster-b", "placed").Data["key"])

	w.create(&v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Labels: b.Labels}, Spec: b.Spec})
	w.eventually("b to catch up", func() error {
		got := w.configMap("cluster-b", "placed").Data["key"]
		return unless(got == "3", got)
	})
	require.Equal(t, before, w.configMap("cluster-b", "placed").UID)
	w.eventually("both to count", func() error {
		fed := w.declared(r)
		return unless(fed.Status.Summary.Healthy == 2 && apimeta.IsStatusConditionTrue(fed.Status.Conditions, "Ready"), fed.Status.Summary.Display)
	})
}

func credentialsChange(t *testing.T, w *world, r *repository) {
	secret := &corev1.Secret{}
	require.NoError(t, w.hub.Get(t.Context(), client.ObjectKey{Namespace: w.namespace, Name: "cluster-b"}, secret))
	right := maps.Clone(secret.Data)
	for _, step := range []struct {
		name, reason, value string
		key                 string
		data                []byte
	}{
		{"a token that is not accepted", v1alpha1.ClusterNotReady, "4", "token", []byte("wrong")},
		{"HostileCredentials: the Secret is for another server", clusters.CredentialsRefused, "5", clusters.ServerKey, []byte("https://moved.example")},
	} {
		secret.Data[step.key] = step.data
		require.NoError(t, w.hub.Update(t.Context(), secret))
		w.clusterIs("cluster-b", metav1.ConditionFalse, step.reason)
		sha := r.push(step.name, "app.yaml", configMap("placed", step.value))
		release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
		require.EqualValues(t, 1, release.Status.Summary.Healthy, step.name)
		require.Equal(t, step.value, w.configMap("cluster-a", "placed").Data["key"])
	}
	w.suspend(r, true)
	secret.Data = right
	require.NoError(t, w.hub.Update(t.Context(), secret))
	w.clusterIs("cluster-b", metav1.ConditionTrue, "")
	w.eventually("a suspended federation to see what b has", func() error {
		o, err := w.federated(r, "placed")
		if err != nil {
			return err
		}
		b := o.Status.Clusters[slices.IndexFunc(o.Status.Clusters, func(c v1alpha1.ObjectOnCluster) bool { return c.Cluster == "cluster-b" })]
		return unless(b.State == v1alpha1.Held && b.Digest != "", fmt.Sprintf("%+v", b))
	})
	require.Equal(t, "3", w.configMap("cluster-b", "placed").Data["key"])
	w.suspend(r, false)
	w.eventually("b to catch up", func() error {
		got := w.configMap("cluster-b", "placed").Data["key"]
		return unless(got == "5", got)
	})
}

func (w *world) cluster(name string) *v1alpha1.Cluster {
	w.t.Helper()
	c := &v1alpha1.Cluster{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Name: name}, c))
	return c
}

// clusterIs waits until a Cluster is Ready or not; an empty reason is any.
func (w *world) clusterIs(name string, status metav1.ConditionStatus, reason string) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("Ready of %s to be %s/%s", name, status, reason), func() error {
		c := apimeta.FindStatusCondition(w.cluster(name).Status.Conditions, "Ready")
		return unless(c != nil && c.Status == status && (reason == "" || c.Reason == reason) && c.Message != "", fmt.Sprintf("%+v", c))
	})
}

// noDelivery is nil when a cluster has no Delivery any more.
func (w *world) noDelivery(r *repository, cluster string) error {
	err := w.hub.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: r.federation + "-" + cluster}, &v1alpha1.Delivery{})
	return unless(apierrors.IsNotFound(err), fmt.Sprint(err))
}

// clusterInGit is a manifest as a Karmada user has it.
// anotherCluster: an address that leads to another cluster than before gets nothing.
func anotherCluster(t *testing.T, w *world, r *repository) {
	w.setID("cluster-b", "the-cluster-that-it-was")
	w.clusterIs("cluster-b", metav1.ConditionFalse, "AnotherCluster")
	sha := r.push("not for another cluster", "app.yaml", configMap("placed", "another"))
	release := w.condition(r, sha, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
	require.Contains(t, release.Status.NotReadyClusters[0].Message, "leads to another cluster")
	require.Equal(t, "another", w.configMap("cluster-a", "placed").Data["key"])
	require.NotEqual(t, "another", w.configMap("cluster-b", "placed").Data["key"])
	reachable := apimeta.FindStatusCondition(w.delivery(r, "cluster-b").Status.Conditions, v1alpha1.Reachable)
	require.Equal(t, "AnotherCluster", reachable.Reason)
	require.Contains(t, reachable.Message, "spec.id is the-cluster-that-it-was")

	w.setID("cluster-b", w.uidOf("cluster-b"))
	w.clusterIs("cluster-b", metav1.ConditionTrue, v1alpha1.ClusterReady)
	w.ready(r, sha)
	require.Equal(t, "another", w.configMap("cluster-b", "placed").Data["key"])
}

// twoNames: a second Cluster with the address of another one gets nothing, even if neither has spec.id.
func twoNames(t *testing.T, w *world, _ *repository) {
	w.setID("cluster-b", "")
	w.clusterIs("cluster-b", metav1.ConditionTrue, v1alpha1.ClusterReady)
	b := w.cluster("cluster-b")
	w.credentials("alias", b.Spec.APIEndpoint, w.account("cluster-b"), w.planes["cluster-b"].Config().CAData)
	b.Spec.SecretRef.Name = "alias"
	w.create(&v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "alias"}, Spec: b.Spec})
	w.clusterIs("alias", metav1.ConditionFalse, "DuplicateCluster")
	require.NoError(t, w.hub.Delete(t.Context(), w.cluster("alias")))
	w.goes("alias")
}

// setID changes spec.id of a Cluster.
func (w *world) setID(name, id string) {
	w.t.Helper()
	c := w.cluster(name)
	before := c.DeepCopy()
	c.Spec.ID = id
	require.NoError(w.t, w.hub.Patch(w.t.Context(), c, client.MergeFrom(before)))
}

// uidOf returns the UID of the namespace kube-system of a member.
func (w *world) uidOf(name string) string {
	w.t.Helper()
	ns := &corev1.Namespace{}
	require.NoError(w.t, w.members[name].Get(w.t.Context(), client.ObjectKey{Name: "kube-system"}, ns))
	return string(ns.UID)
}

func clusterInGit(name, tier, region string) string {
	return fmt.Sprintf(`---
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata:
  name: %s
  labels:
    tier: %s
spec:
  syncMode: Push
  region: %s
`, name, tier, region)
}

func policyByTier(tier string) string {
	return policyOf("placed", fmt.Sprintf("labelSelector: {matchLabels: {tier: %s}}", tier))
}

// policyOf sends one ConfigMap to the clusters of an affinity.
func policyOf(name, affinity string) string {
	return fmt.Sprintf(`apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  namespace: shop
  name: %s
spec:
  resourceSelectors:
  - apiVersion: v1
    kind: ConfigMap
    name: %s
  placement:
    clusterAffinity:
      %s
`, name, name, affinity)
}
