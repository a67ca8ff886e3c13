package bundle

// Trial is a plan of a Federation that the hub wants to make active. The agent tries it by dry-runs, delivers nothing of it, and answers
// with a Verdict.
type Trial struct {
	// ID identifies the trial, for the Verdict.
	ID string `json:"id"`
	// Part has the Federation, the objects as the plan wants them, the account and the scripts, and nothing else.
	Part Part `json:"part"`
	// Only are the inventory entries of the objects to try; none: all objects that a delivery would write.
	Only []string `json:"only,omitempty"`
}

// Verdict is the answer of an agent to a Trial. It stays in the memory of the hub.
type Verdict struct {
	// ID is that of the Trial.
	ID string `json:"id"`
	// Checked counts the objects that the API server of the cluster answered about.
	Checked int `json:"checked"`
	// Rejected are the objects that would not be applied, Unchecked those about which nothing is known. Both have at most MaxTold.
	Rejected  []Rejected  `json:"rejected,omitempty"`
	Unchecked []Unchecked `json:"unchecked,omitempty"`
	// Error is about the whole cluster; what is said of objects still counts.
	Error string `json:"error,omitempty"`
}

// Rejected is an object that would not be applied.
type Rejected struct {
	Entry  string `json:"entry"`
	Reason string `json:"reason"`
	// Message is that of the API server. That of a Secret has no part that may be a value.
	Message string `json:"message"`
}

// Unchecked is an object that could not be checked.
type Unchecked struct {
	Entry   string `json:"entry"`
	Message string `json:"message"`
}

const (
	// MaxTold bounds the objects of each list of a Verdict, and MaxMessage the bytes of a message: longer ones are cut.
	MaxTold    = 500
	MaxMessage = 1000
)
