package reconciler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// unschedulableMoves: nodes of cluster-a have no place for two pods, whose replicas move to cluster-b.
func unschedulableMoves(t *testing.T, w *world, r *repository) {
	w.respec(r, func(s *v1alpha1.FederationSpec) {
		s.Descheduler = &v1alpha1.Descheduler{Enabled: true, UnschedulableThreshold: &metav1.Duration{Duration: time.Second}}
	})
	a, b := w.replicas()
	d := &w.deployments()[0]
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: a, UpdatedReplicas: a, UnavailableReplicas: 2, ReadyReplicas: a - 2, AvailableReplicas: a - 2}
	require.NoError(t, w.members["cluster-a"].Status().Update(t.Context(), d))
	pods := make([]*corev1.Pod, 2)
	for i := range pods {
		pods[i] = w.unschedulable("cluster-a", fmt.Sprintf("web-%d", i))
	}
	w.eventually("the replicas to move", func() error {
		nowA, nowB := w.replicas()
		return unless(nowA == a-2 && nowB == b+2, fmt.Sprint(nowA, nowB))
	})
	o, err := w.federated(r, "web")
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("cluster-a could not schedule 2 of %d replicas, cluster-b has 2 more", a), o.Spec.LastDescheduled)
	w.eventually("the event", func() error {
		return w.told(r, "FederatedObject", "Normal ReplicasDescheduled", 1, o.Spec.LastDescheduled)
	})
	require.Len(t, o.Spec.DescheduledFrom, 1)
	require.Equal(t, [2]any{"cluster-a", a - 2}, [2]any{o.Spec.DescheduledFrom[0].Cluster, o.Spec.DescheduledFrom[0].Running})
	w.restart(func() {})
	w.applied(r, r.push("a change of another object", "other.yaml", configMap("other", "2")))
	stillA, stillB := w.replicas()
	require.Equal(t, [2]int32{a - 2, b + 2}, [2]int32{stillA, stillB}, "a restart moves nothing back")

	for _, p := range pods {
		require.NoError(t, w.members["cluster-a"].Delete(t.Context(), p))
	}
	w.respec(r, func(s *v1alpha1.FederationSpec) { s.Descheduler = nil })
}

// unschedulable creates a pod of web that no node takes for a minute.
func (w *world) unschedulable(cluster, name string) *corev1.Pod {
	w.t.Helper()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1.27"}}},
	}
	require.NoError(w.t, w.members[cluster].Create(w.t.Context(), p))
	p.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/2 nodes are available",
		LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Minute)),
	}}
	require.NoError(w.t, w.members[cluster].Status().Update(w.t.Context(), p))
	return p
}

// respec changes the spec of the Federation of a repository.
func (w *world) respec(r *repository, change func(*v1alpha1.FederationSpec)) {
	w.t.Helper()
	w.eventually("the change of the Federation", func() error { // accord may write at the same time
		fed := w.declared(r)
		change(&fed.Spec)
		return w.hub.Update(w.t.Context(), fed)
	})
}
