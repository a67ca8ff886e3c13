package pods

import (
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// DefaultReplicas is the API server's default of spec.replicas and spec.parallelism.
const DefaultReplicas = 1

// Replicas reads spec.replicas.
func Replicas(u *unstructured.Unstructured) (int32, bool) {
	return Bounded(read.CountOr(DefaultReplicas, u.Object, "spec", "replicas")), true
}

// ReplacesUnless returns the Replaces of a kind that replaces all its pods unless the field is true.
func ReplacesUnless(paused string) func(*unstructured.Unstructured) (int32, bool) {
	path := strings.Split(paused, ".")
	return func(u *unstructured.Unstructured) (int32, bool) {
		if read.Bool(u.Object, path...) {
			return 0, false
		}
		n, _ := Replicas(u)
		return n, false
	}
}

// Bounded returns a count that can be divided: the API server refuses negative and larger ones.
func Bounded(n int64) int32 { return int32(min(max(n, 0), math.MaxInt32)) }

// SetReplicas writes spec.replicas.
func SetReplicas(u *unstructured.Unstructured, n int32) { SetCount(u, "replicas", n) }

// SetCount writes a count into spec. An absent field stays absent if n is the default, so that an autoscaler on the
// member can own the replicas of a Deployment that sets none.
func SetCount(u *unstructured.Unstructured, field string, n int32) {
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return // not a workload: the API server will refuse it
	}
	if spec[field] == nil && n == DefaultReplicas {
		return
	}
	spec[field] = int64(n)
}
