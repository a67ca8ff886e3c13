package divide

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accord-dev/accord/clusters/fleet"
)

// Room returns how many more replicas with this request fit on the cluster, by its reported resources (Karmada §4.4).
// Running pods are already subtracted, so the result does not include existing replicas of the object.
//
// A cluster with unknown resources has no room, and none has any when total, the desired replicas, is zero. The pod
// capacity of the cluster bounds the room. A replica without requests needs one pod. A cluster with resource models,
// and counts of its nodes by model, is estimated node by node, the others by their sums. Room ignores selectors,
// affinities and tolerations of the pods.
//
// The result may exceed total; only a cluster without any bound has room for exactly total.
func Room(c fleet.Cluster, request corev1.ResourceList, total int32) int32 {
	if c.Resources == nil || total <= 0 {
		return 0
	}
	room := unused(c.Resources, corev1.ResourcePods)
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

// inSum returns how many requests fit on the whole cluster, seen as one node.
func inSum(r *fleet.Resources, request corev1.ResourceList) int64 {
	room := int64(math.MaxInt64)
	for name, wanted := range request {
		if each := units(name, wanted); each > 0 {
			room = min(room, unused(r, name)/each)
		}
	}
	return room
}

// unused returns the quantity that neither running nor pending pods use; 0 for a resource that the cluster does not have.
func unused(r *fleet.Resources, name corev1.ResourceName) int64 {
	q := r.Allocatable[name].DeepCopy() // a large quantity is a pointer, and Sub writes through it
	q.Sub(r.Allocated[name])
	q.Sub(r.Allocating[name])
	return units(name, q)
}

// units returns a quantity in thousandths of a cpu, or whole units of anything else, rounded up: 0 when negative, the
// largest number when larger.
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
