package status

import (
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/kind"
)

// State returns the state of the cell and a sentence about it. The first matching row decides:
//
//	held  reachable  error  live digest   observed  health       | state
//	----  ---------  -----  ------------  --------  -----------  | -----------
//	yes   yes        any    is Want       any       any          | as if not held: nothing is pending
//	yes   any        any    any           any       any          | Held
//	no    any        yes    no Want       any       any          | Failed: that it cannot be rendered is known without asking
//	no    no         any    any           any       any          | Unreachable
//	no    yes        yes    any           any       any          | Failed
//	no    yes        no     not there     -         -            | Progressing
//	no    yes        no     another       any       any          | Progressing, whatever it says of its health
//	no    yes        no     is Want       any       any          | Failed if it is mutated and MutationFails
//	no    yes        no     is Want       no        any          | Progressing, its counters speak of the past
//	no    yes        no     is Want       yes       Healthy      | Healthy
//	no    yes        no     is Want       yes       Failed       | Failed
//	no    yes        no     is Want       yes       any other    | Progressing
func (c Cell) State() (v1alpha1.State, string) {
	switch {
	case c.Held != "" && !c.Applied():
		return v1alpha1.Held, c.Held
	case c.terminal():
		return v1alpha1.Failed, c.Error
	case c.Unreachable != "":
		return v1alpha1.Unreachable, c.Unreachable
	case c.Error != "":
		return v1alpha1.Failed, c.Error
	case c.Report == nil:
		return v1alpha1.Progressing, "not there yet"
	case !c.Applied():
		return v1alpha1.Progressing, "still runs another version"
	case c.mutationFails():
		return v1alpha1.Failed, c.mutation()
	case !c.Observed():
		return v1alpha1.Progressing, "its controller has not observed this version yet"
	case c.Report.Health == kind.Healthy:
		return v1alpha1.Healthy, c.healthyMessage()
	case c.Report.Health == kind.Failed:
		return v1alpha1.Failed, c.Report.Message
	}
	return v1alpha1.Progressing, c.Report.Message
}

// Applied reports whether the cluster is known to run the wanted object. Nothing is known of an unreachable cluster.
func (c Cell) Applied() bool {
	return c.Unreachable == "" && c.Want != "" && c.Report != nil && c.Report.Digest == c.Want
}

// Observed reports whether it is applied, and the object's own controller has observed it (rule 2 of the contract). A
// kind without status.observedGeneration is observed as soon as it is applied.
func (c Cell) Observed() bool {
	return c.Applied() && (!c.Report.Observes || c.Report.ObservedGeneration >= c.Report.Generation)
}

// mutationFails reports whether the cluster changed the applied object, and that counts as a failure.
func (c Cell) mutationFails() bool { return c.Mutated != "" && c.MutationFails && c.Applied() }

// refused reports whether an error of accord, and not the health of the live object, makes the state Failed.
func (c Cell) refused() bool { return c.Error != "" }

// terminal reports whether no retry can help: the object cannot be rendered.
func (c Cell) terminal() bool { return c.Want == "" && c.Error != "" && c.Held == "" }
