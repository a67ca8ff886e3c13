package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// workflow is that of Argo. Its status and its dependencies are in status/interpret/kinds. A workflow without parallelism
// runs without a limit; it counts as 1 and stays without one.
var workflow = Kind{
	Replicas: func(u *unstructured.Unstructured) (int32, bool) {
		return pods.Bounded(read.CountOr(pods.DefaultReplicas, u.Object, "spec", "parallelism")), true
	},
	SetReplicas: func(u *unstructured.Unstructured, n int32) { pods.SetCount(u, "parallelism", n) },
	Health:      genericHealth,
	Yields:      []string{"spec.suspend"},
}
