package interpret_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// BenchmarkShipped compares a kind in Lua with a built-in one: both report counters, conditions and a pod template.
func BenchmarkShipped(b *testing.B) {
	for _, gk := range []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Group: "ray.io", Kind: "RayCluster"}, {Group: "kubeflow.org", Kind: "PyTorchJob"}} {
		k := interpret.Of(gk)
		u := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": "web", "namespace": "shop", "generation": int64(2)},
			"spec": map[string]any{"replicas": int64(3), "template": map[string]any{"spec": map[string]any{"containers": []any{
				map[string]any{"name": "a", "image": "nginx:1.27", "resources": map[string]any{"requests": map[string]any{"cpu": "1", "memory": "1Gi"}}},
			}}}},
			"status": map[string]any{
				"observedGeneration": int64(2), "replicas": int64(3), "updatedReplicas": int64(3), "availableReplicas": int64(3), "readyWorkerReplicas": int64(3),
				"state": "ready", "startTime": "2026-01-01T00:00:00Z",
				"conditions": []any{
					map[string]any{"type": "Available", "status": "True", "reason": "Ready", "lastTransitionTime": "2026-01-01T00:00:00Z"},
					map[string]any{"type": "HeadPodReady", "status": "True", "reason": "Ready", "lastTransitionTime": "2026-01-01T00:00:00Z"},
					map[string]any{"type": "Running", "status": "True", "reason": "Running", "lastTransitionTime": "2026-01-01T00:00:00Z"},
				},
			},
		}}
		b.Run("health of "+gk.Kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.Health(u)
			}
		})
		b.Run("reflect of "+gk.Kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.Reflect(u)
			}
		})
		for _, n := range []int{10, 1000} {
			var answers []kind.Answer
			for i := range n {
				answers = append(answers, kind.Answer{Cluster: fmt.Sprintf("member-%04d", i), Current: true, Status: k.Reflect(u)})
			}
			b.Run(fmt.Sprintf("aggregate of %d %s", n, gk.Kind), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					k.Aggregate(answers)
				}
			})
		}
	}
}

// BenchmarkOf is the price of asking for the rules of a kind.
func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		interpret.Of(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	}
}
