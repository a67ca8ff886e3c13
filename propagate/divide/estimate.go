package divide

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accord-dev/accord/clusters/fleet"
)

// Room is for how many more replicas with this request the cluster has room, by what it says of itself (Karmada §4.4).
// What runs there already is taken from it, so the replicas that an object has there are not part of the answer.
//
// A cluster whose resources are not known has no room, and none has when total, the replicas that are wanted in all, is
// zero: then nothing has to be found. There is never more room than the cluster allows pods. A replica that requests
// nothing needs a pod and no more. A cluster that is modelled (it has models and counts its nodes by them) is asked node
// by node, the others by their sums. Selectors, affinities and tolerations of the pods are not looked at.
//
// The answer is not cut at total; only a cluster that nothing bounds has room for exactly that many.
func Room(c fleet.Cluster, request corev1.ResourceList, total int32) int32 {
	if c.Resources == nil || total <= 0 {
		return 0
	}
	room := left(c.Resources, corev1.ResourcePods)
	switch {
	case room == 0 || len(request) == 0:
	case len(c.Models) > 0 && len(c.Resources.Nodes) > 0:
		room = min(room, onNodes(c.Resources.Nodes, c.Models, request))
	default:
		room = min(room, inSum(c.Resources, request))
	}
	if room >= math.MaxInt32 {
		return total
	}
	return int32(room)
}

// inSum is how many requests the whole cluster could hold if it were one node.
func inSum(r *fleet.Resources, request corev1.ResourceList) int64 {
	room := int64(math.MaxInt64)
	for name, wanted := range request {
		if each := units(name, wanted); each > 0 {
			room = min(room, left(r, name)/each)
		}
	}
	return room
}

// left is what nothing runs on and nothing waits for; 0 for a resource that the cluster does not have.
func left(r *fleet.Resources, name corev1.ResourceName) int64 {
	q := r.Allocatable[name].DeepCopy() // a large one is a pointer, which Sub writes through
	q.Sub(r.Allocated[name])
	q.Sub(r.Allocating[name])
	return units(name, q)
}

// units is a quantity in thousandths of a cpu, or whole units of anything else, rounded up: 0 when it is negative, the
// largest number when it is larger.
func units(name corev1.ResourceName, q resource.Quantity) int64 {
	thousandths := name == corev1.ResourceCPU
	switch {
	case q.Sign() <= 0:
		return 0
	case thousandths && q.CmpInt64(math.MaxInt64/1000) >= 0 || q.CmpInt64(math.MaxInt64) >= 0:
		return math.MaxInt64
	case thousandths:
		return q.MilliValue()
	default:
		return q.Value()
	}
}
