package kind

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// rayService is that of Ray. Its status and its dependencies are in status/interpret/kinds.
var rayService = Kind{
	Replicas:     rayServiceReplicas,
	SetReplicas:  setRayServiceReplicas,
	Requirements: rayServiceRequirements,
	Health:       genericHealth,
}

func rayServiceCluster(u *unstructured.Unstructured) map[string]any {
	return read.Object(u.Object, "spec", "rayClusterConfig")
}

// rayServiceReplicas counts its head and all its workers; 0 without a head (Karmada §6.15).
func rayServiceReplicas(u *unstructured.Unstructured) (int32, bool) {
	cluster := rayServiceCluster(u)
	if read.Object(cluster, "headGroupSpec") == nil {
		return 0, true
	}
	n := int64(1)
	for _, group := range read.Objects(cluster, "workerGroupSpecs") {
		n += int64(pods.Bounded(read.Count(group, "replicas")))
	}
	return pods.Bounded(n), true
}

// setRayServiceReplicas makes all but one of n workers, and divides them in proportion to the previous workers of each
// group, rounded to the nearest, or equally if no group had any. The last group gets the rest; where rounding has left
// less than nothing, which Karmada §6.15 would write, the groups before it get fewer.
func setRayServiceReplicas(u *unstructured.Unstructured, n int32) {
	groups := read.Objects(rayServiceCluster(u), "workerGroupSpecs")
	had := make([]int64, len(groups))
	var all int64
	for i, group := range groups {
		had[i] = int64(pods.Bounded(read.Count(group, "replicas")))
		all += had[i]
	}
	left := max(0, int64(n)-1)
	for i, s := range rounded(left, had, all) {
		if i == len(groups)-1 {
			s = left
		}
		s = min(s, left)
		if s != had[i] {
			groups[i]["replicas"] = s
		}
		left -= s
	}
}

// rounded returns the shares of n in proportion to had, whose sum is all.
func rounded(n int64, had []int64, all int64) []int64 {
	shares := make([]int64, len(had))
	for i, h := range had {
		if all == 0 {
			h = 1
		}
		of := cmp.Or(all, int64(len(had)))
		shares[i] = (2*n*h + of) / (2 * of)
	}
	return shares
}

// rayServiceRequirements returns, of each resource, the most that one of its pods requests.
func rayServiceRequirements(u *unstructured.Unstructured) corev1.ResourceList {
	most := corev1.ResourceList{}
	cluster := rayServiceCluster(u)
	for _, group := range append(read.Objects(cluster, "workerGroupSpecs"), read.Object(cluster, "headGroupSpec")) {
		pod := func(*unstructured.Unstructured) map[string]any { return read.Object(group, "template", "spec") }
		for name, q := range pods.Requirements(pod)(u) {
			if had := most[name]; q.Cmp(had) > 0 {
				most[name] = q
			}
		}
	}
	return most
}
