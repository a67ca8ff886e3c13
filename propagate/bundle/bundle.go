// Package bundle encodes the desired state of one cluster for its agent: an index that names every object by the SHA-256 digest of its
// content, and the contents. An agent downloads only the contents that it lacks, and executes the index as the hub would.
package bundle

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/tenancy"
)

// Index is the desired state of one cluster.
type Index struct {
	// Cluster is the name of the Cluster on the hub.
	Cluster string `json:"cluster"`
	// Epoch identifies the Cluster on the hub: its UID. A hub that was built again has another one.
	Epoch string `json:"epoch"`
	// Sequence grows with every index of an epoch. An agent refuses an index with a smaller one than it has.
	Sequence uint64 `json:"sequence"`
	// Parts are those of the Federations, sorted by namespace and name.
	Parts []Part `json:"parts,omitempty"`
	// Trials are the plans that the agent tries now.
	Trials []Trial `json:"trials,omitempty"`
	// Inquiry is the question that the agent answers now; nil for none.
	Inquiry *Inquiry `json:"inquiry,omitempty"`
	// Room is set while a plan of the hub depends on the free resources of clusters: the agent measures those of its cluster.
	Room bool `json:"room,omitempty"`
}

// Part is the desired state of one Federation on the cluster.
type Part struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Unknown parts have nothing else: the hub does not know the state of the Federation now, and the agent keeps the part that it has.
	Unknown bool `json:"unknown,omitempty"`
	// UID of the Federation, for the owner reference of the DeliveryReport.
	UID string `json:"uid,omitempty"`
	// Delivery is the name of the Delivery to the cluster, Assignment identifies its version: the agent reports it with its results.
	Delivery    string `json:"delivery,omitempty"`
	DeliveryUID string `json:"deliveryUID,omitempty"`
	Assignment  string `json:"assignment,omitempty"`
	// Revision is the commit, "main@1a2b3c".
	Revision string   `json:"revision,omitempty"`
	Settings Settings `json:"settings,omitzero"`
	// Objects are in the order in which they are applied.
	Objects []Object `json:"objects,omitempty"`
	// Failed are objects that cannot be rendered for the cluster. Their live objects stay unchanged.
	Failed []Failed `json:"failed,omitempty"`
	// First are the objects that are applied before all others, as inventory entries.
	First []string `json:"first,omitempty"`
	// Inventory has the objects that the hub knows to be on the cluster, for an agent that starts.
	Inventory []string `json:"inventory,omitempty"`
	// Leaving are the objects of the inventory that the part no longer wants. The agent removes no other object.
	Leaving []Leaving `json:"leaving,omitempty"`
	// LeavingKinds are the kinds of the objects with an open eviction from the cluster, sorted. The agent observes them, even if it has no
	// other object of the kind: the eviction ends when the object is gone.
	LeavingKinds []metav1.GroupVersionKind `json:"leavingKinds,omitempty"`
	// Scripts is the SHA-256 digest of the users' scripts about kinds; empty for none.
	Scripts string `json:"scripts,omitempty"`
	// Movable are the workloads, as inventory entries and sorted, of which the agent counts the replicas that the cluster cannot schedule.
	Movable []string `json:"movable,omitempty"`
	// Needs has the status fields of live objects that the agent reports for the gates of rollouts.
	Needs Needs `json:"needs,omitzero"`
}

// Settings are those of the Federation that an executor follows.
type Settings struct {
	Suspend        bool                    `json:"suspend,omitempty"`
	Prune          bool                    `json:"prune,omitempty"`
	PruneLimits    v1alpha1.PruneLimits    `json:"pruneLimits,omitzero"`
	MutationPolicy v1alpha1.MutationPolicy `json:"mutationPolicy,omitempty"`
	// AllowPrune lifts the limits for the commit.
	AllowPrune bool `json:"allowPrune,omitempty"`
	// EmptyPlan is set if the commit places nothing on any cluster.
	EmptyPlan bool `json:"emptyPlan,omitempty"`
	// Descheduling has the times of the descheduler; zero unless an object is movable.
	Descheduling Descheduling `json:"descheduling,omitzero"`
	// Account reads and writes the objects on the cluster; the zero value is the account of the agent.
	Account tenancy.Account `json:"account,omitzero"`
}

// Descheduling has the times at which an agent counts replicas that the cluster cannot schedule.
type Descheduling struct {
	// Threshold is the time for which a pod is unschedulable before it counts, Interval the longest time between two counts.
	Threshold metav1.Duration `json:"threshold"`
	Interval  metav1.Duration `json:"interval"`
}

// Object is one object that the cluster gets or keeps.
type Object struct {
	// Entry identifies the object, "<namespace>_<name>_<group>_<kind>".
	Entry string `json:"entry"`
	// Version of its API, for example "v1".
	Version string `json:"version"`
	// Digest is accord's digest of the object, which its annotation has.
	Digest string `json:"digest"`
	// SHA256 is the digest of its content in hexadecimal, Size the number of bytes.
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
	// Held is the reason why the object is held; empty if it is to be applied.
	Held      string   `json:"held,omitempty"`
	Overwrite bool     `json:"overwrite,omitempty"`
	Implied   bool     `json:"implied,omitempty"`
	Yields    []string `json:"yields,omitempty"`
}

// Failed is an object that cannot be rendered.
type Failed struct {
	Entry string `json:"entry"`
	Held  string `json:"held,omitempty"`
	Error string `json:"error"`
}

// Leaving is an object on the cluster that the part no longer wants.
type Leaving struct {
	Entry string `json:"entry"`
	// Stays is the reason why the object stays all the same; empty if it is removed.
	Stays string `json:"stays,omitempty"`
	// Evicted objects are removed before anything is applied, whatever the settings of prune are.
	Evicted bool `json:"evicted,omitempty"`
}

// Compare compares by entry.
func (l Leaving) Compare(other Leaving) int { return strings.Compare(l.Entry, other.Entry) }

// Needs has the status fields that the gates of rollouts read. The zero value has none.
type Needs struct {
	// Conditions by type.
	Conditions []string `json:"conditions,omitempty"`
	// WholeStatus is set if expressions read the status.
	WholeStatus bool `json:"wholeStatus,omitempty"`
}
