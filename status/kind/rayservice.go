package kind

import (
	"cmp"
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// rayService is that of Ray. Its status and its dependencies are in status/interpret/kinds.
var rayService = Kind{
	Replicas:     rayServiceReplicas,
	SetReplicas:  setRayServiceReplicas,
	Requirements: rayServiceRequirements,
	Mistakes:     rayServiceMistakes,
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
		workers, ok := manifest.Count(group["replicas"])
		if !ok && group["replicas"] != nil {
			return 0, false
		}
		n += int64(workers)
	}
	return int32(min(n, math.MaxInt32)), true
}

// rayServiceMistakes returns those of its groups.
func rayServiceMistakes(u *unstructured.Unstructured) []manifest.Mistake {
	head := []string{"spec", "rayClusterConfig", "headGroupSpec", "template", "spec"}
	found := pods.Requests(u, head...)
	groups, _ := rayServiceCluster(u)["workerGroupSpecs"].([]any)
	for i, g := range groups {
		group, _ := g.(map[string]any)
		path := []string{"spec", "rayClusterConfig", "workerGroupSpecs", fmt.Sprintf("[%d]", i)}
		if m := manifest.CountMistake(group["replicas"], append(path, "replicas")...); m != nil {
			found = append(found, *m)
		}
		pod := &unstructured.Unstructured{Object: group}
		for _, m := range pods.Requests(pod, "template", "spec") {
			found = append(found, m.Below(path...))
		}
	}
	return found
}

// setRayServiceReplicas makes all but one of n workers, and divides them in proportion to the previous workers of each
// group, rounded to the nearest, or equally if no group had any. The last group gets the rest; where rounding has left
// less than nothing, which Karmada §6.15 would write, the groups before it get fewer.
func setRayServiceReplicas(u *unstructured.Unstructured, n int32) {
	if _, ok := rayServiceReplicas(u); !ok {
		return
	}
	groups := read.Objects(rayServiceCluster(u), "workerGroupSpecs")
	had := make([]int64, len(groups))
	var all int64
	for i, group := range groups {
		workers, _ := manifest.Count(group["replicas"])
		had[i] = int64(workers)
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
