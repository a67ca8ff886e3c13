package failover_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/propagate/failover"
)

// BenchmarkDecide decides about the objects of a cluster that evicts them, one in two seconds.
func BenchmarkDecide(b *testing.B) {
	for _, objects := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			in := one(time.Minute)
			in.Clusters[0].Taints = []corev1.Taint{noExecute("maintenance")}
			all := make([]failover.Object, objects)
			for i := range all {
				all[i] = in.Objects[0]
				all[i].ID.Name = fmt.Sprintf("web-%d", i)
			}
			in.Objects = all
			b.ReportAllocs()
			for b.Loop() {
				if out := failover.Decide(in); len(out.Tasks) != 1 || len(out.Blocked) != objects-1 {
					b.Fatal("the rate allows one eviction")
				}
			}
		})
	}
}
