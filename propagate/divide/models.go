package divide

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/clusters/fleet"
)

// podsPerNode is the number of pods on a modelled node (Karmada §4.4).
const podsPerNode = 110

// onNodes returns how many requests fit on nodes that each have exactly the minimum of their grade left. The requests
// are equal, so the choice of a node for one takes no node from another: the result is the sum over the nodes, and
// nodes of one grade are equal.
//
// A grade has nothing of a resource that its model does not name, and only pods when no model describes the grade. The
// result is cut at the largest int32.
func onNodes(nodes map[uint32]int64, models []fleet.Model, request corev1.ResourceList) int64 {
	var room int64
	for grade, count := range nodes {
		var least corev1.ResourceList
		if i := slices.IndexFunc(models, func(m fleet.Model) bool { return m.Grade == grade }); i >= 0 {
			least = models[i].Min
		}
		count = max(0, min(count, math.MaxInt32))
		room = min(room+count*onNode(least, request), math.MaxInt32)
	}
	return room
}

// onNode returns how many requests fit on one node with these free resources.
func onNode(has, request corev1.ResourceList) int64 {
	room := int64(podsPerNode)
	for name, wanted := range request {
		if each := units(name, wanted); each > 0 {
			room = min(room, units(name, has[name])/each)
		}
	}
	return room
}
