// Package activation has the values of a plan on its way to become active: while it is pending, when it becomes active, and the work that
// follows. Package state owns them.
package activation

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/reconciler/state/approval"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status"
)

// Request is a plan that becomes active.
type Request struct {
	Plan       *propagate.Plan
	Input      inputkey.Key
	Revision   string
	AllowPrune bool

	// Release, Findings, Objects, Approval and DryRun are the leader's. DryRun is nil where plans are not tried.
	Release  *v1alpha1.Release
	Findings []propagate.Finding
	Objects  []render.Object
	Approval *status.Approval
	DryRun   *status.Preflight

	// Assigned is set at a replica that follows: it executes the clusters that the leader assigned to it.
	Assigned *Assigned
}

// Result has the follow-up of an activation.
type Result struct {
	changes.Changes
	// Touched are the objects of which more changes than their decision: objects with errors, which are forgiven, and at
	// first all.
	Touched map[manifest.ID]bool
	// Relist reports that every watch has to list again: knowledge about kinds changed, or gates ask for more of the live
	// objects.
	Relist bool
	// Carried are the decisions that did not change since the plan that the hub has.
	Carried record.Carried
	// Release is the Release of the active revision with the digest of a plan of evictions. The hub gets it before the other records:
	// its digest identifies the active plan after a restart. It is nil after other activations.
	Release *v1alpha1.Release
	// Complete is false at a follower if the plan is not the one that some cluster was assigned.
	Complete bool
}

// Assigned has the assignments of a follower.
type Assigned struct {
	Deliveries map[string]*v1alpha1.Delivery // by cluster
	// Turns by cluster and rollout.
	Turns map[string]map[string]staged.Assignment
	// Inherited has what the previous owners of clusters recorded; nil if no cluster is new.
	Inherited *delivery.Inherited
}

// Pending is a plan that is not active, with everything that its activation needs. It is kept while it awaits
// approval: the approved plan is delivered, not one that would be decided later.
type Pending struct {
	// Input is the key that the plan was made from. Resting is compared instead while the plan is pending: the Clusters of its
	// commit are not declared.
	Input, Resting inputkey.Key
	Release        *v1alpha1.Release
	Plan           *propagate.Plan
	Findings       []propagate.Finding // worst first
	Objects        []render.Object
	// Declared are the Clusters of the commit, Adds the names of those that the hub does not have. ChangesClusters is set if the
	// commit adds, changes or removes a Cluster of the hub.
	Declared        []v1alpha1.Cluster
	Adds            []string
	ChangesClusters bool
	// Federations are those that the commit declares.
	Federations []control.Federation
	// Taints are those that the ClusterTaintPolicies decide, by cluster.
	Taints  map[string][]corev1.Taint
	Commits approval.Commits
	Refused string // the reason why an approval does not count, as the Release has it
	// PruneBlock is set if the prune limits stop the plan.
	PruneBlock *status.PruneBlock
}
