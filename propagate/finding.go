package propagate

import "github.com/accord-dev/accord/api/manifest"

// Finding is a remark about the input for a reviewer: a field without effect, a policy that matches nothing.
type Finding struct {
	At       manifest.Origin
	Severity Severity
	Code     string // stable, kebab-case: "not-acted-on", "matches-nothing"
	Message  string // one sentence
	Fix      string // the text to write instead; empty when there is nothing to do
	// Unconditional means that the finding blocks a change that does not bring it, too.
	Unconditional bool
}

// Severity of a finding.
type Severity string

const (
	Error   Severity = "error"   // the manifest does not do what it declares; merging it would be a mistake
	Warning Severity = "warning" // the manifest probably does not do what its author meant
	Note    Severity = "note"    // worth knowing
)
