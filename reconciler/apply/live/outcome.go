package live

import "github.com/accord-dev/accord/api/manifest"

// Outcome is what became of a delivery. It is complete also when Deliver returns an error: it says what was done
// until then.
type Outcome struct {
	// Applied were written, in no order.
	Applied []manifest.ID
	// Unchanged counts the objects that were as they should be.
	Unchanged int
	// Adopted existed, and were taken over: namespaces, and what is to be overwritten. They are in Applied too.
	Adopted []manifest.ID
	// Shared are namespaces that only had to be there, and are: another federation owns them.
	Shared []manifest.ID
	// Pruned were deleted; they may still wait for finalizers.
	Pruned []manifest.ID
	// Released stay and are not ours any more: they are to be preserved, or were there before us.
	Released []manifest.ID
	// Orphaned are ours, no longer wanted, and stay, with why.
	Orphaned map[manifest.ID]string
	// Held are left alone on purpose, with why.
	Held map[manifest.ID]string
	// Errors of single objects; each is a *Problem.
	Errors map[manifest.ID]error
	// Drift is what somebody else did to our objects and was repaired.
	Drift []Drift
	// NotRepaired are those of Options.Spare that are not as they should be.
	NotRepaired []manifest.ID
	// Recreated were deleted by us because a field of them cannot be changed. They are in Applied, too, if they were made
	// anew already.
	Recreated []manifest.ID
	// PruneBlocked says what would have been deleted, why it was not, and how to lift the brake; empty when it was not hit.
	PruneBlocked string
	// Inventory is what is ours there now, as entries, sorted. It is stored by the caller.
	Inventory []string
	// Answers belong into Live.Settle.
	Answers map[manifest.ID]Answer
	// Requests counts what was sent to the member.
	Requests int
}

// Drift is one thing that somebody else did to an object of ours.
type Drift struct {
	ID manifest.ID
	// Manager that did it, as far as can be told.
	Manager string
	// What is Changed or Deleted.
	What string
	// Fields that were changed, "spec.replicas"; empty when that cannot be told. There are at most a few.
	Fields string
}

// What drift is.
const (
	Changed = "changed"
	Deleted = "deleted"
)
