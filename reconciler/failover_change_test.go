package reconciler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// dividedOver is a policy that divides the replicas of web among clusters, and sends its dependencies along.
func dividedOver(clusters string) string {
	return fmt.Sprintf(`apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: web}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement:
    clusterAffinity: {clusterNames: [%s]}
    replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}
  failover: {cluster: {purgeMode: Gracefully}}
`, clusters)
}

// webWith returns the Deployment web with a number of replicas, which reads the ConfigMap settings.
func webWith(replicas int) string {
	return strings.Replace(deployment("nginx:1.27"), "replicas: 2", fmt.Sprintf("replicas: %d", replicas), 1) + "      volumes: [{name: settings, configMap: {name: settings}}]\n"
}

// replicasOn reports the error that web does not have a number of replicas on a cluster.
func (w *world) replicasOn(cluster string, want int32) error {
	d := &appsv1.Deployment{}
	if err := w.object(cluster, d, "shop", "web"); err != nil {
		return err
	}
	return unless(*d.Spec.Replicas == want, fmt.Sprintf("%d replicas on %s", *d.Spec.Replicas, cluster))
}

// changing: while an eviction is open, people change the number of replicas, and the policy no longer names the cluster that the workload
// leaves. The old copy and the ConfigMap that it needs stay until the replacements are healthy.
func changing(t *testing.T, w *world, r *repository) {
	r.push("replicas on two clusters", "settings.yaml", configMap("settings", "1"), "web-workload.yaml", webWith(4), "web-policy.yaml", dividedOver("cluster-a, cluster-b"))
	for _, cluster := range []string{"cluster-a", "cluster-b"} {
		w.eventually("two replicas on "+cluster, func() error { return w.replicasOn(cluster, 2) })
		w.eventually("them to be healthy", func() error { return w.runs(cluster) })
		w.there(cluster, "settings", true)
	}
	w.taintCluster("cluster-a", maintenance)
	w.evicted(r, "web", "open", open)
	w.eventually("the other cluster to have all", func() error { return w.replicasOn("cluster-b", 4) })

	r.push("more replicas, and another cluster instead", "web-workload.yaml", webWith(6), "web-policy.yaml", dividedOver("cluster-b, cluster-c"))
	w.eventually("three replicas on cluster-c", func() error { return w.replicasOn("cluster-c", 3) })
	w.there("cluster-c", "settings", true)
	w.eventually("three replicas on cluster-b", func() error { return w.replicasOn("cluster-b", 3) })
	w.eventually("cluster-b to be healthy", func() error { return w.runs("cluster-b") })
	w.eventually("the eviction to wait for cluster-c", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		return unless(len(o.Status.Evictions) == 1 && strings.Contains(o.Status.Evictions[0].Message, "waits until the object is healthy on cluster-c"), fmt.Sprintf("%+v", o.Status.Evictions))
	})
	require.NoError(t, w.replicasOn("cluster-a", 2), "the old copy stays as it is")
	require.False(t, w.absent("cluster-a", "settings"), "the old copy needs it")

	w.eventually("cluster-c to be healthy", func() error { return w.runs("cluster-c") })
	w.evicted(r, "web", "completed", completed)
	w.eventually("the old copy to go", func() error {
		return unless(apierrors.IsNotFound(w.object("cluster-a", &appsv1.Deployment{}, "shop", "web")), "it is there")
	})
	w.there("cluster-a", "settings", false)
	w.taintCluster("cluster-a")
	w.applied(r, r.push("the end of it", "web-workload.yaml", "", "web-policy.yaml", "", "settings.yaml", ""))
}

// oneByOne: the cluster with the replacement is tainted while the first one still does not answer. Both old copies are deleted in the end,
// and the object is on the third cluster.
func oneByOne(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("an object that moves twice", "twice.yaml", configMap("twice", "1"), "twice-policy.yaml", movable("v1", "ConfigMap", "twice", "{cluster: {purgeMode: Gracefully}}")))
	first := w.chosen(r, "twice")
	w.there(first, "twice", true)
	w.cables[first].setCut(true)
	w.evicted(r, "twice", "open", open)
	w.eventually("another cluster", func() error { return unless(w.chosen(r, "twice") != first, "it is on "+first) })
	second := w.chosen(r, "twice")
	w.there(second, "twice", true)

	w.taintCluster(second, maintenance)
	w.eventually("the third cluster", func() error {
		return unless(!slices.Contains([]string{first, second}, w.chosen(r, "twice")), "it has not left "+second)
	})
	third := w.chosen(r, "twice")
	w.there(third, "twice", true)
	w.there(second, "twice", false)
	w.evicted(r, "twice", "open", func(task v1alpha1.GracefulEvictionTask) bool { return open(task) && task.FromCluster == first })
	require.False(t, w.absent(first, "twice"))

	w.cables[first].setCut(false)
	w.there(first, "twice", false)
	w.clusterIs(first, metav1.ConditionTrue, v1alpha1.ClusterReady)
	w.taintCluster(second)
	require.Equal(t, third, w.chosen(r, "twice"))
	w.applied(r, r.push("the end of it", "twice.yaml", "", "twice-policy.yaml", ""))
}

// finished: a Job that has finished does not run again on another cluster, and the Federation reports no problem.
func finished(t *testing.T, w *world, r *repository) {
	r.push("a job", "job.yaml", `apiVersion: batch/v1
kind: Job
metadata: {namespace: shop, name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "nginx:1.27"}]
`, "job-policy.yaml", movable("batch/v1", "Job", "migrate", "{cluster: {purgeMode: Gracefully}}"))
	source := w.chosen(r, "migrate")
	w.eventually("the job to finish", func() error {
		job := &batchv1.Job{}
		if err := w.object(source, job, "shop", "migrate"); err != nil {
			return err
		}
		now := metav1.Now()
		job.Status = batchv1.JobStatus{StartTime: &now, CompletionTime: &now, Succeeded: 1, Conditions: []batchv1.JobCondition{
			{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue}, {Type: batchv1.JobComplete, Status: corev1.ConditionTrue},
		}}
		return w.members[source].Status().Update(t.Context(), job)
	})
	w.eventually("accord to observe its end", func() error {
		o, err := w.federated(r, "migrate")
		if err != nil {
			return err
		}
		return unless(len(o.Status.Clusters) == 1 && o.Status.Clusters[0].State == v1alpha1.Healthy, fmt.Sprintf("%+v", o.Status.Clusters))
	})
	w.taintCluster(source, maintenance)
	w.eventually("the reason why it stays", func() error {
		o, err := w.federated(r, "migrate")
		if err != nil {
			return err
		}
		return unless(len(o.Status.Evictions) == 1 && o.Status.Evictions[0].Phase == v1alpha1.EvictionBlocked && strings.Contains(o.Status.Evictions[0].Message, "it has finished"), fmt.Sprintf("%+v", o.Status.Evictions))
	})
	require.Equal(t, source, w.chosen(r, "migrate"))
	require.Nil(t, apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.FailoverBlocked), "nothing is lost")
	w.taintCluster(source)
	r.push("the end of it", "job.yaml", "", "job-policy.yaml", "")
	w.eventually("the job to go", func() error {
		return unless(apierrors.IsNotFound(w.object(source, &batchv1.Job{}, "shop", "migrate")), "it is there")
	})
}
