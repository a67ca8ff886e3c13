package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/pods"
)

// workflow is that of Argo. Its status and its dependencies are in status/interpret/kinds. A workflow without parallelism
// runs without a limit; it counts as 1 and stays without one.
var workflow = Kind{
	Replicas:    func(u *unstructured.Unstructured) (int32, bool) { return pods.Count(u, "parallelism") },
	SetReplicas: func(u *unstructured.Unstructured, n int32) { pods.SetCount(u, "parallelism", n) },
	Mistakes:    pods.Unreadable(nil, "parallelism"),
	Health:      genericHealth,
	Yields:      []string{"spec.suspend"},
}
