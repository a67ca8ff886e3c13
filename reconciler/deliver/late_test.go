package deliver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestDefectF12PodsAreListedPerChange: a workload that never becomes healthy costs few requests.
func TestDefectF12PodsAreListedPerChange(t *testing.T) {
	deployment := func(status map[string]any) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"generation": int64(2)}, "status": status}}
		u.SetKind("Deployment")
		return u
	}
	start := time.Unix(1000, 0)
	w := &lateWorkload{since: start}
	listed := func(from, to time.Duration) (n int) {
		for at := from; at < to; at += lateInterval {
			if w.ask(start.Add(at)) {
				n++
			}
		}
		return n
	}
	w.observe(statusOf(deployment(map[string]any{})))
	require.Zero(t, listed(0, time.Hour), "no controller has observed it")
	w.observe(statusOf(deployment(map[string]any{"observedGeneration": int64(1), "replicas": int64(2)})))
	require.Zero(t, listed(0, time.Hour), "of the generation before")

	w.observe(statusOf(deployment(map[string]any{"observedGeneration": int64(2), "replicas": int64(2)})))
	require.Zero(t, listed(0, lateAfter-time.Second), "it is not late yet")
	require.Equal(t, 1, listed(lateAfter, 30*time.Second))
	require.Equal(t, 1, listed(30*time.Second, time.Minute), "pods report more than the status: once more")
	require.Equal(t, 1, listed(time.Minute, 2*time.Minute), "then less often")
	require.LessOrEqual(t, listed(2*time.Minute, time.Hour), 7)

	for range 5 { // the same status, with another time of a condition
		w.observe(statusOf(deployment(map[string]any{"observedGeneration": int64(2), "replicas": int64(2), "conditions": []any{}})))
	}
	require.Zero(t, listed(time.Hour, time.Hour+10*time.Second))
	w.observe(statusOf(deployment(map[string]any{"observedGeneration": int64(2), "replicas": int64(3)})))
	require.Equal(t, 1, listed(time.Hour+10*time.Second, time.Hour+40*time.Second), "its status changed")
	for range 100 {
		w.observe(statusOf(deployment(map[string]any{"observedGeneration": int64(2), "replicas": time.Now().UnixNano()})))
	}
	require.LessOrEqual(t, listed(time.Hour+40*time.Second, time.Hour+100*time.Second), 2, "a bounded interval, however often it changes")
}

// TestUnschedulableReplicasAreObserved: the count of a listing is in the next observation, and pods that the descheduler counts are listed
// in its interval.
func TestUnschedulableReplicasAreObserved(t *testing.T) {
	start := time.Unix(1000, 0)
	w := &lateWorkload{since: start, status: lateStatus{observed: true}, pause: lateAgain}
	require.Zero(t, w.observation().Report.Unschedulable)
	w.podFacts = podFacts{unschedulable: v1alpha1.UnschedulableReplicas{Replicas: 2, Of: 6}, most: 2 * time.Minute}
	require.Equal(t, v1alpha1.UnschedulableReplicas{Replicas: 2, Of: 6}, w.observation().Report.Unschedulable)
	listed := 0
	for at := time.Hour; at < 2*time.Hour; at += lateInterval {
		if w.ask(start.Add(at)) {
			listed++
		}
	}
	require.InDelta(t, 30, listed, 2)
}
