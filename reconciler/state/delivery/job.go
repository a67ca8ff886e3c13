package delivery

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status/interpret"
)

// Job is one delivery: the objects that were wanted on one cluster when it began. It is a value; the executor passes it back with
// the result.
type Job struct {
	Orders
	Federation string // "<namespace>/<name>"
	Target     propagate.ClusterPlan
	// TargetKinds are the kinds of the objects of Target.
	TargetKinds []schema.GroupVersionKind
	Spec        v1alpha1.FederationSpec
	AllowPrune  bool
	Inventory   *live.Inventory
	// InventoryError is set if the recorded inventory cannot be read: then nothing is delivered.
	InventoryError error
	// First are the objects that a newer change touches while a bulk is delivered.
	First map[manifest.ID]bool
	// Recalled is set once the cluster was asked for objects that the hub has no record of.
	Recalled bool
	// State is that of the cluster; package state owns it.
	State *State
}

// Orders are the decisions that a delivery follows beside its target: those of a plan, or of a bundle at an agent.
type Orders struct {
	Plan    *propagate.Plan // nil at an agent
	Staging *staged.Plan    // nil without rollouts, and at an agent
	Part    *bundle.Part    // nil where there is a plan
	// Book has the users' scripts about kinds; nil for none.
	Book *interpret.Book
	// Leaving are the kinds of the objects with an open eviction from the cluster.
	Leaving []schema.GroupVersionKind
}

// EmptyPlan reports whether nothing is placed on any cluster.
func (o Orders) EmptyPlan() bool {
	if o.Part != nil {
		return o.Part.Settings.EmptyPlan
	}
	return o.Plan.Empty()
}

// Evicted returns the objects that are deleted from a cluster before anything is applied.
func (o Orders) Evicted(cluster string) []manifest.ID {
	if o.Part != nil {
		return o.Part.Evicted()
	}
	return o.Plan.Evicted(cluster)
}

// Withdraw returns the function that returns why an object on a cluster that is not wanted stays; empty if it may go.
func (o Orders) Withdraw(cluster string) func(id manifest.ID, labels map[string]string) string {
	switch {
	case o.Part != nil:
		stays := o.Part.Withdraw()
		return func(id manifest.ID, _ map[string]string) string { return stays(id) }
	case o.Staging != nil:
		return o.Staging.KeepReason
	}
	return func(id manifest.ID, labels map[string]string) string { return o.Plan.KeepReason(cluster, id, labels) }
}

// Kinds returns the kinds that are observed during the delivery.
func (j Job) Kinds() []schema.GroupVersionKind { return kinds(j.Inventory, j.TargetKinds, j.Leaving) }
