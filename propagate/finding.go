package propagate

import "github.com/accord-dev/accord/api/manifest"

// Finding is something a person should know about the input: a field that is not acted on, a policy that matches nothing.
type Finding struct {
	At       manifest.Origin
	Severity Severity
	Code     string // stable, kebab-case: "not-acted-on", "matches-nothing"
	Message  string // one sentence
	Fix      string // what to write instead; empty when there is nothing to do
}

// Severity of a finding.
type Severity string

const (
	Error   Severity = "error"   // it does not do what it says; merging it would be a mistake
	Warning Severity = "warning" // it probably does not do what was meant
	Note    Severity = "note"    // worth knowing
)
