// Package place says which clusters an object may go to, and why not to the others: filters ask one cluster at a time
// (Karmada §4.2), spread constraints choose among those that pass (Karmada §4.5). How many replicas each gets is
// package divide.
package place

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// Question is all that placing one object depends on, beside the clusters.
type Question struct {
	Placement policy.Placement
	// Term is the entry of clusterAffinities that is tried; without clusterAffinities it has no meaning.
	Term int
	// GVK of the object, in the version its manifest is written in.
	GVK schema.GroupVersionKind
	// Workload says that the object has a count of replicas, Total of them.
	Workload bool
	Total    int32
	// Fresh says that a Rebalancer asks to choose anew: nothing is kept only because it is there (Karmada §4.11).
	Fresh bool
	// On has the clusters that the object is on already: some filters let those pass (Karmada §4.2).
	On map[string]bool
	// Provided has the clusters that get the kind itself from the same plan, with its CustomResourceDefinition.
	Provided map[string]bool
	// Together and Apart are the other objects of the groups of workloadAffinity.
	Together, Apart []Peer
}

// Peer is another object of a group of workloadAffinity, with the clusters that it is on.
type Peer struct {
	Name string // as a sentence has it: "Deployment shop/web"
	On   map[string]bool
}

// A filter refuses a cluster with a sentence about it ("is in exclude") and the path of the refusing field below
// spec.placement; an empty sentence lets it pass.
type filter func(Question, fleet.Cluster) (why, field string)

// Refuses asks every filter about a cluster; the first that refuses answers. An empty why means that the cluster may
// be chosen. The field is empty when it is no field of the placement that refuses.
//
// What the author of the policy said on purpose is asked first, so that the answer is the one that is expected.
func (q Question) Refuses(c fleet.Cluster) (why, field string) {
	for _, refuses := range []filter{affinity, leaving, api, taint, spread, together, apart} {
		if why, field = refuses(q, c); why != "" {
			return why, field
		}
	}
	return "", ""
}

// replicas is the count that room is compared with: of what has none, every cluster gets one as it is.
func (q Question) replicas() int32 {
	if !q.Workload {
		return 0
	}
	return q.Total
}
