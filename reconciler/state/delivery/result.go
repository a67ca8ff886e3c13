package delivery

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/drift"
)

// Result is the result of one delivery attempt.
type Result struct {
	// Error is the reason why the attempt failed as a whole; empty if it ran to its end.
	Error string
	// Failure is the reason for metrics; empty if the attempt succeeded. Terminal is set if a retry does not help.
	Failure  string
	Terminal bool
	// Down is set if the cluster became unreachable.
	Down bool
	// Cancelled is set if a newer plan ended the attempt: then only Answers count.
	Cancelled bool

	Errors     map[manifest.ID]string
	Answers    map[manifest.ID]live.Answer
	Drift      []live.Drift
	Spared     []manifest.ID
	Recreated  []manifest.ID
	Pruned     []manifest.ID
	Orphaned   map[manifest.ID]string
	PruneBlock string
	Inventory  []string
}

// Settle applies the answers of a delivery to the live objects, whatever became of the delivery.
func (l *State) Settle(answers map[manifest.ID]live.Answer) {
	l.Live.Settle(answers)
	for id := range answers {
		l.touch(id)
	}
}

// Conclude takes over a result. It returns the objects that have an error, or had one.
func (l *State) Conclude(r Result) (touched map[manifest.ID]bool) {
	touched = map[manifest.ID]bool{}
	l.Run.Started, l.Run.Finished = true, r.Error == ""
	l.Run.PruneBlocked, l.Run.Error = r.PruneBlock, r.Error
	if r.Error != "" {
		return touched
	}
	l.SetInventory(r.Inventory)
	l.Run.Orphaned = orphans(r.Orphaned)
	l.Pruned = map[manifest.ID]bool{}
	for _, id := range r.Pruned {
		l.Pruned[id] = true
	}
	for _, d := range r.Drift {
		l.Run.Drift = drift.Remember(l.Run.Drift, drift.Describe(d))
	}
	for id := range l.Errors {
		touched[id] = true
	}
	l.clearErrors()
	for id, err := range r.Errors {
		l.Errors[id] = err
		l.touch(id)
		touched[id] = true
	}
	return touched
}

// orphans lists the objects that stay although they are not wanted.
func orphans(reasons map[manifest.ID]string) []string {
	list := []string{}
	for id, why := range reasons {
		list = append(list, id.String()+": "+why)
	}
	slices.Sort(list)
	return list
}

// orEmpty distinguishes an empty list from none.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
