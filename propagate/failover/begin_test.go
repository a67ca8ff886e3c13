package failover_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
)

// TestTheTaskOfAnEviction: the task has the replicas, the clusters and the state of the object before the eviction.
func TestTheTaskOfAnEviction(t *testing.T) {
	in := one(90*time.Second + 400*time.Millisecond)
	in.Clusters[0].Taints = []corev1.Taint{noExecute("maintenance")}
	o := &in.Objects[0]
	o.Choice = append([]previous.Cluster{{Name: "us-1", Replicas: new(int32(2))}}, o.Choice...)
	o.Copies[0].Status = []byte(`{"jobStatus": {"jobId": "a-17"}}`)
	o.Policy.Spec.Failover.Cluster.StatePreservation = &policy.StatePreservation{Rules: []policy.StatePreservationRule{{AliasLabelName: "job-id", JSONPath: "{.jobStatus.jobId}"}}}
	out := failover.Decide(in)
	require.Equal(t, []v1alpha1.GracefulEvictionTask{{
		FromCluster: "eu-1", PurgeMode: v1alpha1.PurgeGracefully, Replicas: new(int32(3)), Reason: "TaintUntolerated", Producer: "TaintManager",
		Message:           "cluster eu-1 has the taint maintenance:NoExecute, which no clusterToleration tolerates",
		CreationTimestamp: metav1.NewTime(after(90 * time.Second)), PreservedLabelState: map[string]string{"job-id": "a-17"},
		ClustersBeforeFailover: []string{"eu-1", "us-1"},
	}}, out.Tasks[web])

	unhealthy := one(time.Hour)
	unhealthy.Objects[0].Copies[0].Health, unhealthy.Objects[0].UnhealthySince = failover.Unhealthy, map[string]time.Time{"eu-1": begin}
	unhealthy.Objects[0].Policy.Spec.Failover.Application.PurgeMode = policy.Never
	task := failover.Decide(unhealthy).Tasks[web][0]
	require.Equal(t, v1alpha1.PurgeNever, task.PurgeMode)
	require.True(t, *task.SuppressDeletion)
	require.Nil(t, task.GracePeriodSeconds, "only Gracefully has a grace period")
}

// TestAPersonRemovesAClusterInTheCooldown: the cooldown does not block a person.
func TestAPersonRemovesAClusterInTheCooldown(t *testing.T) {
	in := one(0)
	in.Clusters[0].Removing = true
	in.Objects[0].Tasks = []v1alpha1.GracefulEvictionTask{{
		FromCluster: "eu-1", PurgeMode: v1alpha1.PurgeGracefully, CreationTimestamp: metav1.NewTime(after(-time.Minute)),
		CompletionTimestamp: new(metav1.NewTime(after(-30 * time.Second))), Cancelled: true,
	}}
	tasks := failover.Decide(in).Tasks[web]
	require.Len(t, tasks, 1)
	require.True(t, tasks[0].Open())
	require.Equal(t, failover.ClusterRemoved, tasks[0].Reason)
}

// TestAnUnobservedCopyKeepsItsTime: a restart neither ends the time of an unhealthy copy nor evicts it.
func TestAnUnobservedCopyKeepsItsTime(t *testing.T) {
	in := one(time.Hour)
	in.Objects[0].Copies, in.Objects[0].UnhealthySince = nil, map[string]time.Time{"eu-1": begin}
	out := failover.Decide(in)
	require.Empty(t, out.Tasks)
	require.Equal(t, map[string]time.Time{"eu-1": begin}, out.UnhealthySince[web])
}

func TestStateful(t *testing.T) {
	for text, want := range map[string]bool{
		"{apiVersion: apps/v1, kind: StatefulSet}": true,
		"{apiVersion: apps/v1, kind: Deployment}":  false,
		"{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {volumes: [{name: a, emptyDir: {}}]}}}}":                             false,
		"{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {volumes: [{name: a, persistentVolumeClaim: {claimName: data}}]}}}}": true,
		"{apiVersion: v1, kind: Pod, spec: {volumes: [{name: a, persistentVolumeClaim: {claimName: data}}]}}":                                 true,
		"{apiVersion: v1, kind: PersistentVolumeClaim}":                                                                                       true,
		"{apiVersion: apps.kruise.io/v1beta1, kind: CloneSet, spec: {volumeClaimTemplates: [{metadata: {name: data}}]}}":                      true,
	} {
		u := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
		require.Equal(t, want, failover.Stateful(u), text)
	}
	require.False(t, failover.Stateful(nil))
}
