package reconciler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/failover"
)

var maintenance = corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute}

// placed returns the replicas of the Deployment web on each cluster that is decided for it.
func (w *world) placed(r *repository) map[string]int32 {
	w.t.Helper()
	placed := map[string]int32{}
	if o, err := w.federated(r, "web"); err == nil {
		for _, result := range o.Spec.Results {
			for _, cluster := range result.Clusters {
				placed[cluster] = *result.Replicas
			}
		}
	}
	return placed
}

// divided: the other clusters take over the replicas of a cluster, which keeps its own until all are healthy.
func divided(t *testing.T, w *world, r *repository) {
	r.push("replicas on three clusters", "web-workload.yaml", strings.Replace(deployment("nginx:1.27"), "replicas: 2", "replicas: 6", 1), "web-policy.yaml", `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement:
    clusterAffinity: {clusterNames: [cluster-a, cluster-b, cluster-c]}
    replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}
  failover: {cluster: {purgeMode: Gracefully}}
`)
	w.eventually("two replicas on each cluster", func() error {
		for _, cluster := range fleetOfThree {
			if err := w.runs(cluster); err != nil {
				return err
			}
		}
		placed := w.placed(r)
		return unless(len(placed) == 3 && placed["cluster-a"] == 2 && placed["cluster-b"] == 2 && placed["cluster-c"] == 2, fmt.Sprint(placed))
	})
	w.taintCluster("cluster-b", maintenance)
	task := w.evicted(r, "web", "open", open)
	require.EqualValues(t, 2, *task.Replicas)
	require.Equal(t, fleetOfThree, task.ClustersBeforeFailover)
	w.eventually("the others to have all replicas", func() error {
		placed := w.placed(r)
		return unless(len(placed) == 2 && placed["cluster-a"] == 3 && placed["cluster-c"] == 3, fmt.Sprint(placed))
	})
	replicas := func(cluster string, want int32) error {
		d := &appsv1.Deployment{}
		if err := w.object(cluster, d, "shop", "web"); err != nil {
			return err
		}
		return unless(*d.Spec.Replicas == want, fmt.Sprintf("%d replicas on %s", *d.Spec.Replicas, cluster))
	}
	w.eventually("three replicas on cluster-a", func() error { return replicas("cluster-a", 3) })
	w.eventually("three replicas on cluster-c", func() error { return replicas("cluster-c", 3) })
	w.eventually("one of them to be healthy", func() error { return w.runs("cluster-a") })
	w.eventually("the eviction to wait for the other", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		return unless(len(o.Status.Evictions) == 1 && strings.Contains(o.Status.Evictions[0].Message, "waits until the object is healthy on cluster-c"), fmt.Sprintf("%+v", o.Status.Evictions))
	})
	require.NoError(t, replicas("cluster-b", 2), "the old copy stays as it is")
	w.eventually("the other to be healthy", func() error { return w.runs("cluster-c") })
	w.evicted(r, "web", "completed", completed)
	w.eventually("the old copy to go", func() error {
		return unless(apierrors.IsNotFound(w.object("cluster-b", &appsv1.Deployment{}, "shop", "web")), "it is there")
	})
	w.taintCluster("cluster-b")
	w.applied(r, r.push("the end of it", "web-workload.yaml", "", "web-policy.yaml", ""))
}

// preserving: a value of the status of the old copy is a label of the replacement. Without the value nothing is evicted.
func preserving(t *testing.T, w *world, r *repository) {
	r.push("a workload with state", "web-workload.yaml", deployment("nginx:1.27"), "web-policy.yaml", movable("apps/v1", "Deployment", "web",
		`{cluster: {purgeMode: Directly, statePreservation: {rules: [{aliasLabelName: example.com/ready, jsonPath: "{.readyReplicas}"}]}}}`))
	source := w.chosen(r, "web")
	w.eventually("the workload", func() error { return w.object(source, &appsv1.Deployment{}, "shop", "web") })
	w.taintCluster(source, maintenance)
	w.eventually("the eviction to be blocked", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		return unless(len(o.Status.Evictions) == 1 && o.Status.Evictions[0].Phase == v1alpha1.EvictionBlocked &&
			strings.Contains(o.Status.Evictions[0].Message, "cannot preserve the state: example.com/ready"), fmt.Sprintf("%+v", o.Status.Evictions))
	})
	w.eventually("the workload to have a status", func() error { return w.runs(source) })
	task := w.evicted(r, "web", "completed", completed)
	require.Equal(t, map[string]string{"example.com/ready": "2"}, task.PreservedLabelState)
	target := w.chosen(r, "web")
	require.NotEqual(t, source, target)
	w.eventually("the replacement", func() error {
		d := &appsv1.Deployment{}
		if err := w.object(target, d, "shop", "web"); err != nil {
			return err
		}
		return unless(d.Labels["example.com/ready"] == "2", fmt.Sprint(d.Labels))
	})
	require.True(t, apierrors.IsNotFound(w.object(source, &appsv1.Deployment{}, "shop", "web")))
	w.taintCluster(source)
	w.applied(r, r.push("the end of it", "web-workload.yaml", "", "web-policy.yaml", ""))
}

// witnessing: accord does not reach its witness, doubts its own network, and evicts nothing until the witness answers.
func witnessing(t *testing.T, w *world, r *repository) {
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Approval = nil }) // of the part before
	w.applied(r, r.push("an object that moves", "witness.yaml", configMap("witnessed", "1"), "witness-policy.yaml", movable("v1", "ConfigMap", "witnessed", "{cluster: {purgeMode: Gracefully}}")))
	source := w.chosen(r, "witnessed")
	witness := fleetOfThree[(slices.Index(fleetOfThree, source)+1)%3]
	w.restart(func() { require.NoError(t, w.failover.Witness.Set("cluster/"+witness)) })
	w.clusterIs(witness, metav1.ConditionTrue, v1alpha1.ClusterReady)
	w.cables[witness].setCut(true)
	w.eventually("the witness to be unreachable", func() error {
		c := apimeta.FindStatusCondition(w.cluster(witness).Status.Conditions, "Ready")
		return unless(c.Status != metav1.ConditionTrue, c.Reason)
	})
	w.taintCluster(source, maintenance)
	w.eventually("the Federation to report the witness", func() error {
		c := apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.FailoverBlocked)
		return unless(c != nil && c.Status == metav1.ConditionTrue && c.Reason == v1alpha1.WitnessUnreachable &&
			strings.Contains(c.Message, "accord does not reach its witness") && strings.Contains(c.Message, witness), fmt.Sprintf("%+v", c))
	})
	o, err := w.federated(r, "witnessed")
	require.NoError(t, err)
	require.Empty(t, o.Spec.GracefulEvictionTasks)
	require.False(t, w.absent(source, "witnessed"))

	w.cables[witness].setCut(false)
	w.evicted(r, "witnessed", "completed", completed)
	w.there(source, "witnessed", false)
	w.eventually("the end of the doubt", func() error {
		return unless(apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.FailoverBlocked) == nil, "accord doubts")
	})
	w.restart(func() { w.failover.Witness = failover.Defaults{}.Witness })
	w.taintCluster(source)
	w.applied(r, r.push("the end of it", "witness.yaml", "", "witness-policy.yaml", ""))
}
