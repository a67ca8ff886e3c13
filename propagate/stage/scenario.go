package stage

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// Scenario is the input of a simulation. Times count from its start. Users write it as YAML.
type Scenario struct {
	// HealthyAfter is the time that a cluster takes to become healthy after an update.
	HealthyAfter policy.Duration `json:"healthyAfter,omitempty"`
	// ApproveAfter is the time that people take to approve; empty: nobody approves, except by Commands.
	ApproveAfter policy.Duration `json:"approveAfter,omitempty"`
	Faults       []ClusterFault  `json:"faults,omitempty"`
	Commands     []TimedCommand  `json:"commands,omitempty"`
	Commits      []Commit        `json:"commits,omitempty"`
	// Until is the longest duration of the simulation; 30 days when empty.
	Until policy.Duration `json:"until,omitempty"`
}

// ClusterFault is a fault of a cluster for some time.
type ClusterFault struct {
	Cluster string           `json:"cluster"`
	Kind    ClusterFaultKind `json:"kind"`
	// From and To; without To the fault does not end.
	From policy.Duration `json:"from,omitempty"`
	To   policy.Duration `json:"to,omitempty"`
	// Revision that fails; empty: every revision of the rollout. It applies to Fails, Stalls and Refuses.
	Revision string `json:"revision,omitempty"`
}

// ClusterFaultKind is the kind of a ClusterFault.
type ClusterFaultKind string

const (
	FaultFails       ClusterFaultKind = "Fails"
	FaultStalls      ClusterFaultKind = "Stalls"  // cannot recover
	FaultRefuses     ClusterFaultKind = "Refuses" // is healthy, and does not pass the gate
	FaultUnreachable ClusterFaultKind = "Unreachable"
	FaultHeld        ClusterFaultKind = "Held" // by people
)

// TimedCommand is a command of a person about the rollout at that time.
type TimedCommand struct {
	At    policy.Duration `json:"at"`
	Do    string          `json:"do"`
	Stage string          `json:"stage,omitempty"`
}

// Commit changes the wanted versions.
type Commit struct {
	At       policy.Duration `json:"at"`
	Revision string          `json:"revision"`
	// Wanted digests by cluster. The other clusters keep theirs.
	Wanted map[string]string `json:"wanted"`
}

const longestScenario = 30 * 24 * time.Hour

// during reports whether the fault exists at a time.
func (t ClusterFault) during(at time.Duration) bool {
	return at >= t.From.Length() && (t.To == "" || at < t.To.Length())
}

// of reports whether the fault affects a version.
func (t ClusterFault) of(v Version) bool { return t.Revision == "" || t.Revision == v.Revision }

// instants returns the times at which the scenario changes.
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
