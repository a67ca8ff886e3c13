package kind

import (
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// defaultReplicas is what the API server fills in for spec.replicas and spec.parallelism.
const defaultReplicas = 1

// specReplicas reads spec.replicas.
func specReplicas(u *unstructured.Unstructured) (int32, bool) {
	return replicasOf(countOr(defaultReplicas, u.Object, "spec", "replicas")), true
}

// replacesUnless is the Replaces of a kind that replaces all its pods unless the field is true.
func replacesUnless(paused string) func(*unstructured.Unstructured) (int32, bool) {
	path := strings.Split(paused, ".")
	return func(u *unstructured.Unstructured) (int32, bool) {
		if truth(u.Object, path...) {
			return 0, false
		}
		n, _ := specReplicas(u)
		return n, false
	}
}

// replicasOf is a count as it can be divided: what is negative or does not fit the API server will refuse.
func replicasOf(n int64) int32 { return int32(min(max(n, 0), math.MaxInt32)) }

// setSpecReplicas writes spec.replicas.
func setSpecReplicas(u *unstructured.Unstructured, n int32) { setSpec(u, "replicas", n) }

// setSpec writes a count into spec. It leaves an absent field absent if n is the default, so that a Deployment
// without replicas stays free for an autoscaler on the member.
func setSpec(u *unstructured.Unstructured, field string, n int32) {
	spec, ok := u.Object["spec"].(map[string]any)
	if !ok {
		return // not a workload: the API server will say so
	}
	if spec[field] == nil && n == defaultReplicas {
		return
	}
	spec[field] = int64(n)
}
