package pods

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// DefaultReplicas is the API server's default of spec.replicas and spec.parallelism.
const DefaultReplicas = 1

// Replicas reads spec.replicas.
func Replicas(u *unstructured.Unstructured) (int32, bool) { return Count(u, "replicas") }

// Count reads a number of pods in spec; ok is false if the field has no such number.
func Count(u *unstructured.Unstructured, field string) (n int32, ok bool) {
	value := read.At(u.Object, "spec", field)
	if value == nil {
		return DefaultReplicas, true
	}
	return manifest.Count(value)
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

// SetReplicas writes spec.replicas.
func SetReplicas(u *unstructured.Unstructured, n int32) { SetCount(u, "replicas", n) }

// SetCount writes a count into spec. An absent field stays absent if n is the default, so that an autoscaler on the
// member can own the replicas of a Deployment that sets none. A value that is no count stays, too: the API server refuses
// it.
func SetCount(u *unstructured.Unstructured, field string, n int32) {
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return // not a workload: the API server will refuse it
	}
	if _, ok := Count(u, field); !ok || spec[field] == nil && n == DefaultReplicas {
		return
	}
	spec[field] = int64(n)
}
