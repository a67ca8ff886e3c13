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

// unschedulableMoves: nodes of cluster-a have no place for two pods, whose replicas move to cluster-b. A restart moves nothing back.
func unschedulableMoves(t *testing.T, w *world, r *repository) {
	remove := w.unschedulableMove(r, "cluster-a", "cluster-b")
	before := w.deployments()
	w.restart(func() {})
	w.applied(r, r.push("a change of another object", "other.yaml", configMap("other", "2")))
	require.Equal(t, before, w.deployments(), "nothing was written")
	remove()
}

// unschedulableMove enables the descheduler, has pods of web without a node on a cluster, and waits until their replicas are on another
// one. The returned function removes the pods and disables the descheduler.
func (w *world) unschedulableMove(r *repository, from, to string) (remove func()) {
	w.t.Helper()
	w.respec(r, func(s *v1alpha1.FederationSpec) {
		s.Descheduler = &v1alpha1.Descheduler{Enabled: true, UnschedulableThreshold: &metav1.Duration{Duration: time.Second}}
	})
	on := func(cluster string) *appsv1.Deployment {
		d := &appsv1.Deployment{}
		require.NoError(w.t, w.object(cluster, d, "shop", "web"))
		return d
	}
	d := on(from)
	had, more := *d.Spec.Replicas, *on(to).Spec.Replicas+2
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: had, UpdatedReplicas: had, UnavailableReplicas: 2, ReadyReplicas: had - 2, AvailableReplicas: had - 2}
	require.NoError(w.t, w.members[from].Status().Update(w.t.Context(), d))
	pods := make([]*corev1.Pod, 2)
	for i := range pods {
		pods[i] = w.unschedulable(from, fmt.Sprintf("web-%d", i))
	}
	w.eventually("the replicas to move", func() error {
		left, got := *on(from).Spec.Replicas, *on(to).Spec.Replicas
		return unless(left == had-2 && got == more, fmt.Sprint(left, got))
	})
	o, err := w.federated(r, "web")
	require.NoError(w.t, err)
	require.Equal(w.t, fmt.Sprintf("%s could not schedule 2 of %d replicas, %s has 2 more", from, had, to), o.Spec.LastDescheduled)
	w.eventually("the event", func() error {
		return w.told(r, "FederatedObject", "Normal ReplicasDescheduled", 1, o.Spec.LastDescheduled)
	})
	require.Len(w.t, o.Spec.DescheduledFrom, 1)
	require.Equal(w.t, [2]any{from, had - 2}, [2]any{o.Spec.DescheduledFrom[0].Cluster, o.Spec.DescheduledFrom[0].Running})
	return func() {
		for _, p := range pods {
			require.NoError(w.t, w.members[from].Delete(w.t.Context(), p))
		}
		w.respec(r, func(s *v1alpha1.FederationSpec) { s.Descheduler = nil })
	}
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
