package live

import "github.com/accord-dev/accord/api/manifest"

// Outcome is the result of a delivery. If Deliver returns an error, it has the results until then.
type Outcome struct {
	// Applied objects were written, in no order.
	Applied []manifest.ID
	// Adopted objects existed and were taken over: namespaces, and objects with conflictResolution Overwrite. They
	// are in Applied, too.
	Adopted []manifest.ID
	// Shared are namespaces that only have to exist, and belong to another Federation.
	Shared []manifest.ID
	// Pruned objects were deleted; they may still wait for finalizers.
	Pruned []manifest.ID
	// Released objects stay and are not owned any more: they are preserved, or existed before accord.
	Released []manifest.ID
	// Orphaned are owned objects that the plan no longer has and that stay, with the reason.
	Orphaned map[manifest.ID]string
	// Held objects are left alone on purpose, with the reason. If the cluster has no object beyond the plan, it is empty.
	Held map[manifest.ID]string
	// Errors of single objects; each is a *Problem.
	Errors map[manifest.ID]error
	// Drift was repaired.
	Drift []Drift
	// NotRepaired are the objects of Options.SkipRepair that differ from the plan.
	NotRepaired []manifest.ID
	// Recreated objects were deleted because of an immutable field. They are in Applied, too, if they are created
	// again.
	Recreated []manifest.ID
	// PruneBlocked explains why nothing was deleted and how to lift the prune limits; empty if they were not
	// exceeded.
	PruneBlocked string
	// Inventory has the entries of the owned objects, sorted, for the caller to store.
	Inventory []string
	// Answers are for Objects.Settle.
	Answers map[manifest.ID]Answer
	// Requests counts the requests to the member.
	Requests int
}

// Drift is a change of an owned object by somebody else.
type Drift struct {
	ID manifest.ID
	// Manager is the field manager of the change, if it is known.
	Manager string
	// What has the value Changed or Deleted.
	What string
	// Fields names the first few changed fields ("spec.replicas"); empty if they are not known.
	Fields string
}

// Values of Drift.What.
const (
	Changed = "changed"
	Deleted = "deleted"
)
