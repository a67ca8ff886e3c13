package deliver

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/reconciler/state"
)

// Movable returns the time for which a pod of a workload is unschedulable before its replica moves, and the longest time between two
// counts; 0 if the replicas never move.
type Movable func(f *state.Federation, id manifest.ID) (threshold, interval time.Duration)

// Deschedule has the pool count the replicas that cannot be scheduled. The caller calls it before it connects a cluster.
func (p *Pool) Deschedule(movable Movable) { p.movable = movable }

// unschedulable counts the replicas of a late workload that may move, and returns podFacts.most.
func (p *Pool) unschedulable(f *state.Federation, q question, pods []corev1.Pod, now time.Time) (counted v1alpha1.UnschedulableReplicas, most time.Duration) {
	if p.movable == nil {
		return counted, 0
	}
	threshold, interval := p.movable(f, q.key.id)
	if threshold == 0 {
		return counted, 0
	}
	if n := deschedule.Count(pods, q.replicas, threshold, now); n > 0 {
		counted = v1alpha1.UnschedulableReplicas{Replicas: n, Of: q.replicas}
	}
	return counted, interval
}

// replicasOf returns spec.replicas of a workload; 0 without one.
func replicasOf(u *unstructured.Unstructured) int32 {
	n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	return int32(min(max(n, 0), 1<<30))
}
