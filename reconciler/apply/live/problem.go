package live

import "fmt"

// Reasons of a Problem.
const (
	Conflict  = "Conflict"  // the object exists and is not ours
	Rejected  = "Rejected"  // the API server finds the object invalid, or an admission webhook refuses it
	Forbidden = "Forbidden" // accord lacks the permission
	NoMatch   = "NoMatch"   // the cluster does not serve the kind
	Timeout   = "Timeout"   // no answer in time
	Busy      = "Busy"      // the API server cannot do it now
	Failed    = "Failed"    // anything else
)

// Problem is the reason why one object could not be delivered.
type Problem struct {
	Reason string
	// Retry is set if another attempt may succeed without a change.
	Retry bool
	Err   error
}

func (p *Problem) Error() string { return p.Err.Error() }

func (p *Problem) Unwrap() error { return p.Err }

// NewConflict returns the Problem of an object that exists and is not owned.
func NewConflict(format string, args ...any) *Problem {
	return &Problem{Reason: Conflict, Err: fmt.Errorf(format, args...)}
}
