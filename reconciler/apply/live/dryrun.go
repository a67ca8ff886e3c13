package live

import "github.com/accord-dev/accord/api/manifest"

// DryRunResult is what a cluster says to a delivery that is only tried. It is true for the moment in which it was asked: what is
// there may change before it is delivered, and each object is asked about on its own, as if it was the only one.
type DryRunResult struct {
	// Checked counts the objects about which the API server gave an answer.
	Checked int
	// Rejected are the objects that it would not take, and those that accord itself would leave alone, sorted.
	Rejected []Rejection
	// Unchecked are the objects about which nothing can be known yet, sorted.
	Unchecked []Unchecked
	// Requests counts what was sent to the member.
	Requests int
}

// Rejection is one object that would not be written.
type Rejection struct {
	ID     manifest.ID
	Reason string // in one word: Conflict, Forbidden, QuotaExceeded, ...
	// Message is what the API server says. Of a Secret it has nothing that may be a value of it.
	Message string
}

// Unchecked is one object that could not be tried, and why.
type Unchecked struct {
	ID      manifest.ID
	Message string
}

// Why an object would not be written, beside Conflict (it exists and is not ours: accord leaves it alone) and Forbidden (we
// may not do this).
const (
	QuotaExceeded    = "QuotaExceeded"    // a ResourceQuota of its namespace has no room for it
	AdmissionDenied  = "AdmissionDenied"  // an admission webhook, policy or plugin denies it, or cannot be asked
	NoMatchForKind   = "NoMatchForKind"   // the cluster does not serve the kind in this version
	FieldConflict    = "FieldConflict"    // another manager has a field that cannot be taken over
	ImmutableField   = "ImmutableField"   // it exists, and a field of it cannot be changed
	NamespaceMissing = "NamespaceMissing" // its namespace does not exist, and is not brought along
	InvalidObject    = "Invalid"          // it is not valid
)
