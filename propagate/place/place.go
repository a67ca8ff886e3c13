// Package place chooses the clusters of an object, with a reason for every other cluster: filters test one cluster at a
// time (Karmada §4.2), spread constraints choose among the clusters that pass (Karmada §4.5). Package divide assigns
// the replicas.
package place

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// Question has everything that placing one object depends on, beside the clusters.
type Question struct {
	Placement policy.Placement
	// Term is the current entry of clusterAffinities; unused without clusterAffinities.
	Term int
	// GVK of the object, in the version of its manifest.
	GVK schema.GroupVersionKind
	// Workload means that the object has a replica count, Total.
	Workload bool
	Total    int32
	// Fresh means that a Rebalancer requests a new choice: nothing is kept only because it exists (Karmada §4.11).
	Fresh bool
	// IgnoreHealth lets clusters pass that have no other taints than the automatic ones.
	IgnoreHealth bool
	// On has the clusters with the object: some filters let these pass (Karmada §4.2).
	On map[string]bool
	// Evicted has the clusters that must not get the object because of an eviction, with the reason as a sentence about the cluster.
	Evicted map[string]string
	// Provided has the clusters that get the kind from the same plan, with its CustomResourceDefinition.
	Provided map[string]bool
	// Together and Apart are the other objects of the groups of workloadAffinity.
	Together, Apart []Peer
}

// Peer is another object of a group of workloadAffinity, with its clusters.
type Peer struct {
	Name string // for a sentence: "Deployment shop/web"
	On   map[string]bool
}

// filter refuses a cluster with a sentence about it ("is in exclude") and the path of the refusing field below
// spec.placement; it returns an empty sentence to let the cluster pass.
type filter func(Question, fleet.Cluster) (why, field string)

// Refusal is the answer of a filter that refuses a cluster.
type Refusal struct {
	Why    string // a sentence about the cluster
	Field  string // the path of the field below spec.placement; empty when no field of the placement is involved
	Reason Reason
}

// Refuses returns the answer of the first filter that refuses a cluster, nil when the cluster may be chosen.
//
// Filters for explicit choices of the policy's author come first, so that the reason is the expected one.
func (q Question) Refuses(c fleet.Cluster) *Refusal {
	for _, f := range filters {
		if why, field := f.refuses(q, c); why != "" {
			return &Refusal{why, field, f.reason}
		}
	}
	return nil
}

var filters = []struct {
	refuses filter
	reason  Reason
}{
	{affinity, NotSelected}, {leaving, Leaving}, {evicted, Evicted}, {api, NotServed}, {taint, Tainted}, {spread, NoGroup}, {together, Grouped}, {apart, Grouped},
}

// replicas returns the count to compare with room: 1 for an object without replicas.
func (q Question) replicas() int32 {
	if !q.Workload {
		return 0
	}
	return q.Total
}
