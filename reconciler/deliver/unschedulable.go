package deliver

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/reconciler/descheduler"
	"github.com/accord-dev/accord/reconciler/state"
)

// Deschedule sets the settings of the descheduler. The caller sets them before it connects a cluster.
func (p *Pool) Deschedule(s descheduler.Settings) { p.descheduler = s }

// threshold returns the time for which a pod of a workload is unschedulable before its replica moves; 0 if the replicas never move.
func (p *Pool) threshold(f *state.Federation, id manifest.ID) time.Duration {
	threshold := p.descheduler.Threshold(f.Spec().Descheduler)
	if threshold == 0 {
		return 0
	}
	plan := f.Plan()
	if plan == nil {
		return 0
	}
	if d := plan.Decision(id); d == nil || !deschedule.Applies(d.Policy) {
		return 0
	}
	return threshold
}

// movable counts the replicas of a late workload that may move, and returns podFacts.most.
func (p *Pool) movable(f *state.Federation, q question, pods []corev1.Pod, now time.Time) (counted v1alpha1.UnschedulableReplicas, most time.Duration) {
	threshold := p.threshold(f, q.key.id)
	if threshold == 0 {
		return counted, 0
	}
	if n := deschedule.Count(pods, q.replicas, threshold, now); n > 0 {
		counted = v1alpha1.UnschedulableReplicas{Replicas: n, Of: q.replicas}
	}
	return counted, p.descheduler.Period()
}

// replicasOf returns spec.replicas of a workload; 0 without one.
func replicasOf(u *unstructured.Unstructured) int32 {
	n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	return int32(min(max(n, 0), 1<<30))
}
