package stage

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Scenario is what happens while a rollout is simulated. Times are counted from its beginning. It can be written as YAML.
type Scenario struct {
	// HealthyAfter is how long a cluster takes to become healthy on what it was given.
	HealthyAfter policy.Duration `json:"healthyAfter,omitempty"`
	// ApproveAfter is how long people take to approve; empty: they do not, but for Orders.
	ApproveAfter policy.Duration `json:"approveAfter,omitempty"`
	Faults       []Trouble       `json:"faults,omitempty"`
	Commands     []TimedCommand  `json:"commands,omitempty"`
	Commits      []Commit        `json:"commits,omitempty"`
	// Until is when the simulation ends at the latest; 30 days when empty.
	Until policy.Duration `json:"until,omitempty"`
}

// Trouble is what a cluster goes through for a while.
type Trouble struct {
	Cluster string      `json:"cluster"`
	Kind    TroubleKind `json:"kind"`
	// From and To; an empty To is for ever.
	From policy.Duration `json:"from,omitempty"`
	To   policy.Duration `json:"to,omitempty"`
	// Revision is the one that fails; empty: every one that the rollout gives. It has a meaning for Fails, Stalls and Refuses.
	Revision string `json:"revision,omitempty"`
}

// TroubleKind is one word for a Trouble.
type TroubleKind string

const (
	Fails   TroubleKind = "Fails"
	Stalls  TroubleKind = "Stalls"  // for good
	Refuses TroubleKind = "Refuses" // is healthy, and answers no question of the gate with yes
	Lost    TroubleKind = "Unreachable"
	Kept    TroubleKind = "Held" // by people
)

// TimedCommand is what a person orders about the target of that time.
type TimedCommand struct {
	At    policy.Duration `json:"at"`
	Do    string          `json:"do"`
	Stage string          `json:"stage,omitempty"`
}

// Commit changes what is wanted.
type Commit struct {
	At       policy.Duration `json:"at"`
	Revision string          `json:"revision"`
	// Wanted by cluster; one that is not named keeps what is wanted of it.
	Wanted map[string]string `json:"wanted"`
}

const longestScenario = 30 * 24 * time.Hour

// during says whether the trouble is there at a time.
func (t Trouble) during(at time.Duration) bool {
	return at >= t.From.Length() && (t.To == "" || at < t.To.Length())
}

// of says whether it is about a version.
func (t Trouble) of(v Version) bool { return t.Revision == "" || t.Revision == v.Revision }

// instants are the times at which the scenario itself changes something.
func (s Scenario) instants() []time.Duration {
	var all []time.Duration
	for _, t := range s.Faults {
		all = append(all, t.From.Length())
		if t.To != "" {
			all = append(all, t.To.Length())
		}
	}
	for _, o := range s.Commands {
		all = append(all, o.At.Length())
	}
	for _, c := range s.Commits {
		all = append(all, c.At.Length())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s Scenario) end() time.Duration {
	if s.Until == "" {
		return longestScenario
	}
	return s.Until.Length()
}
