// Package phase computes the phase of the newest revision of a Federation from the facts about it.
package phase

// Phase is the phase of the newest revision of a Federation. In every phase the active plan stays active, and
// clusters keep their objects, until a plan is activated.
type Phase string

// Phases of a revision.
const (
	// Pending: no plan was made yet.
	Pending Phase = "Pending"
	// Invalid: the revision cannot be planned. Only another commit helps.
	Invalid Phase = "Invalid"
	// PruneBlocked: the prune limits stop the plan. Another commit helps, or higher limits.
	PruneBlocked Phase = "PruneBlocked"
	// AwaitingApproval: the plan is made, and nobody has approved it.
	AwaitingApproval Phase = "AwaitingApproval"
	// DryRunning: the plan is tried on the clusters, and that takes long.
	DryRunning Phase = "DryRunning"
	// DryRunFailed: a cluster rejects an object of the plan. It is tried again with back-off.
	DryRunFailed Phase = "DryRunFailed"
	// Persisting: the plan is active and the hub does not have all of its records. Nothing is delivered.
	Persisting Phase = "Persisting"
	// Active: the plan is active, and its clusters are delivered.
	Active Phase = "Active"
)

// Facts are the facts that the phase of a revision depends on, whose sources were read.
type Facts struct {
	// Invalid revisions cannot be planned. Pending ones have a plan that is not active.
	Invalid, Pending bool
	// PruneBlocked, Unapproved and Rejected describe the pending plan: the prune limits stop it, nobody has approved it, or a cluster
	// rejects an object of it.
	PruneBlocked, Unapproved, Rejected bool
	// Active is set if a plan is active, Persisted if the hub has its records.
	Active, Persisted bool
}

// Phase computes the phase:
//
//	Invalid  Pending  PruneBlocked  Unapproved  Rejected  Active  Persisted  phase
//	yes      -        -             -           -         -       -          Invalid
//	no       yes      yes           -           -         -       -          PruneBlocked
//	no       yes      no            yes         -         -       -          AwaitingApproval
//	no       yes      no            no          no        -       -          DryRunning
//	no       yes      no            no          yes       -       -          DryRunFailed
//	no       no       -             -           -         no      -          Pending
//	no       no       -             -           -         yes     no         Persisting
//	no       no       -             -           -         yes     yes        Active
//
// A plan that needs no approval counts as approved.
func (f Facts) Phase() Phase {
	switch {
	case f.Invalid:
		return Invalid
	case f.Pending && f.PruneBlocked:
		return PruneBlocked
	case f.Pending && f.Unapproved:
		return AwaitingApproval
	case f.Pending && f.Rejected:
		return DryRunFailed
	case f.Pending:
		return DryRunning
	case !f.Active:
		return Pending
	case !f.Persisted:
		return Persisting
	}
	return Active
}

// Decided reports whether the newest revision needs no further work until its input changes.
func (p Phase) Decided() bool { return p != Pending && p != Persisting }
