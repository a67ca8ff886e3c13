package live

import "github.com/accord-dev/accord/api/manifest"

// DryRunResult is the answer of a cluster to a dry-run. It holds for that moment, and for each object as if it was
// the only change.
type DryRunResult struct {
	// Checked counts the objects that the API server answered about.
	Checked int
	// Rejected are the objects that the API server rejects, and those that accord would leave alone, sorted.
	Rejected []Rejection
	// Compared counts the objects of Checked that exist, if fields were compared. Changed are those of which a delivery changes
	// fields beside accord's own marks, sorted.
	Compared int
	Changed  []Change
	// Unchecked are the objects whose result is not known, sorted.
	Unchecked []Unchecked
	// Requests counts the requests to the member.
	Requests int
}

// Rejection is one object that would not be applied.
type Rejection struct {
	ID     manifest.ID
	Reason string // in one word: Conflict, Forbidden, QuotaExceeded, ...
	// Message is that of the API server. For a Secret it has no part that may be a value.
	Message string
}

// Change is one object of which fields change.
type Change struct {
	ID     manifest.ID
	Fields []string // their paths, without values
}

// Unchecked is one object that could not be checked.
type Unchecked struct {
	ID      manifest.ID
	Message string
}

// Reasons of a Rejection, beside Conflict (accord leaves a foreign object alone) and Forbidden (a permission is
// missing).
const (
	QuotaExceeded    = "QuotaExceeded"    // a ResourceQuota of its namespace has no room for it
	AdmissionDenied  = "AdmissionDenied"  // an admission webhook, policy or plugin denies it, or cannot be asked
	NoMatchForKind   = "NoMatchForKind"   // the cluster does not serve the kind in this version
	FieldConflict    = "FieldConflict"    // another manager has a field that cannot be taken over
	ImmutableField   = "ImmutableField"   // it exists, and a field of it cannot be changed
	NamespaceMissing = "NamespaceMissing" // its namespace does not exist, and is not brought along
	InvalidObject    = "Invalid"          // it is not valid
)
