package review

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/review/outage"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/rehearsal"
	stages "github.com/accord-dev/accord/propagate/stage"
)

// SimulationFlags are the events of the simulated rollout.
type SimulationFlags struct {
	simulate     bool
	scenario     string
	healthyAfter time.Duration
	approveAfter time.Duration
	fail         []string
	unreachable  []string
	outage       outage.Flags
}

func (f *SimulationFlags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.simulate, "simulate", false, "simulate the rollout with the code of the controllers, and print the timeline")
	flags.StringVar(&f.scenario, "scenario", "", "YAML file with the events of the simulation: healthyAfter, approveAfter, faults, commands, commits, until")
	flags.DurationVar(&f.healthyAfter, "healthy-after", 2*time.Minute, "simulation: time for a cluster to become healthy")
	flags.DurationVar(&f.approveAfter, "approve-after", 0, "simulation: time until a stage is approved (default never)")
	flags.StringSliceVar(&f.fail, "fail", nil, "simulation: cluster that never becomes healthy (repeatable)")
	flags.StringSliceVar(&f.unreachable, "unreachable", nil, "simulation: cluster that is unreachable (repeatable)")
	f.outage.Register(flags)
}

// simulationFlags are the flags that need --simulate.
var simulationFlags = []string{"scenario", "healthy-after", "approve-after", "fail", "unreachable"}

// Check returns an error for flags that contradict each other.
func (f *SimulationFlags) Check(flags *pflag.FlagSet) error {
	for _, name := range simulationFlags {
		switch changed := flags.Changed(name); {
		case changed && !f.simulate:
			return fmt.Errorf("--%s requires --simulate", name)
		case changed && f.scenario != "" && name != "scenario":
			return fmt.Errorf("--%s and --scenario are mutually exclusive", name)
		}
	}
	if f.healthyAfter < 0 || f.approveAfter < 0 {
		return errors.New("--healthy-after and --approve-after must not be negative")
	}
	return f.outage.Check(flags, f.simulate, len(f.unreachable) > 0)
}

// read returns the scenario. It returns an error if the scenario names a cluster that is not among clusters.
func (f *SimulationFlags) read(clusters []string) (stages.Scenario, error) {
	var s stages.Scenario
	if f.scenario != "" {
		text, err := os.ReadFile(f.scenario)
		if err == nil {
			err = yaml.UnmarshalStrict(text, &s)
		}
		if err != nil {
			return s, fmt.Errorf("reading the scenario %s: %w", f.scenario, err)
		}
	} else {
		s.HealthyAfter = policy.Duration(f.healthyAfter.String())
		if f.approveAfter > 0 {
			s.ApproveAfter = policy.Duration(f.approveAfter.String())
		}
		for _, name := range f.fail {
			s.Faults = append(s.Faults, stages.ClusterFault{Cluster: name, Kind: stages.FaultFails})
		}
		for _, name := range f.unreachable {
			if f.outage.Requested() && !slices.Contains(clusters, name) {
				continue // its failure concerns failover, too
			}
			s.Faults = append(s.Faults, stages.ClusterFault{Cluster: name, Kind: stages.FaultUnreachable, To: f.outage.Return()})
		}
	}
	return s, checkScenario(s, clusters)
}

// rolloutClusters names the clusters that a scenario may name, as the end of a sentence.
func rolloutClusters(clusters []string) string {
	if len(clusters) == 0 {
		return "; the plan has no rollout that changes a cluster"
	}
	return "; rollouts change " + phrase.List(clusters, text.FewNames)
}

// checkScenario returns an error for entries that would have no effect.
func checkScenario(s stages.Scenario, clusters []string) error {
	kinds := []stages.ClusterFaultKind{stages.FaultFails, stages.FaultStalls, stages.FaultRefuses, stages.FaultUnreachable, stages.FaultHeld}
	for i, t := range s.Faults {
		if !slices.Contains(clusters, t.Cluster) {
			return fmt.Errorf("the scenario names cluster %q, and no rollout changes it%s", t.Cluster,
				cmp.Or(manifest.DidYouMean(t.Cluster, clusters), rolloutClusters(clusters)))
		}
		if !slices.Contains(kinds, t.Kind) {
			return fmt.Errorf("faults[%d].kind of the scenario is %q, expected one of %v", i, t.Kind, kinds)
		}
	}
	for i, o := range s.Commands {
		if !slices.Contains([]string{policy.CommandApprove, policy.CommandAbort, policy.CommandRollback, policy.CommandResume}, o.Do) {
			return fmt.Errorf("orders[%d].do of the scenario is %q, expected approve, abort, rollback or resume", i, o.Do)
		}
	}
	for _, d := range scenarioTimes(s) {
		if _, err := time.ParseDuration(string(d)); d != "" && err != nil {
			return fmt.Errorf("a time of the scenario is %q, expected a time span like \"90s\" or \"1h30m\"", d)
		}
	}
	return nil
}

func scenarioTimes(s stages.Scenario) []policy.Duration {
	all := []policy.Duration{s.HealthyAfter, s.ApproveAfter, s.Until}
	for _, t := range s.Faults {
		all = append(all, t.From, t.To)
	}
	for _, o := range s.Commands {
		all = append(all, o.At)
	}
	for _, c := range s.Commits {
		all = append(all, c.At)
	}
	return all
}

// simulation is the timeline of one rollout in a scenario.
type simulation struct {
	Scenario stages.Scenario `json:"scenario"`
	Moments  []moment        `json:"moments"`
	// Phase at the end, after Lasted.
	Phase   stages.Phase `json:"phase"`
	Message string       `json:"message,omitempty"`
	Lasted  string       `json:"lasted"`
	// OutdatedClusters do not run the wanted version although the rollout is complete.
	OutdatedClusters []string `json:"outdatedClusters,omitempty"`

	timeline string
}

// moment is one event, at a time counted from the beginning.
type moment struct {
	At string `json:"at"`
	// Event is empty if only the phase changed.
	Event    stages.EventKind `json:"event,omitempty"`
	Phase    stages.Phase     `json:"phase"`
	Stage    string           `json:"stage,omitempty"`
	Clusters []string         `json:"clusters,omitempty"`
	Message  string           `json:"message,omitempty"`
}

// play adds a simulation to each rollout with a change.
func (f *SimulationFlags) play(rollouts []Rollout) error {
	if !f.simulate {
		return nil
	}
	var clusters []string
	for _, r := range rollouts {
		for _, c := range r.input.Clusters {
			clusters = append(clusters, c.Name)
		}
	}
	slices.Sort(clusters)
	s, err := f.read(slices.Compact(clusters))
	if err != nil {
		return err
	}
	for i := range rollouts {
		if len(rollouts[i].Changing) > 0 {
			rollouts[i].Simulation = simulate(rollouts[i].input, s)
		}
	}
	return nil
}

func simulate(in stages.Input, s stages.Scenario) *simulation {
	line := stages.Simulate(in, s)
	made := &simulation{
		Scenario: s, Moments: []moment{}, Phase: line.Last.Phase, Message: line.Last.Message, Lasted: line.Lasted.String(),
		OutdatedClusters: line.Last.OutdatedClusters, timeline: line.String(),
	}
	for _, m := range line.Moments {
		made.Moments = append(made.Moments, moment{m.At.String(), m.Event, m.Phase, m.Stage, m.Clusters, m.Message})
	}
	return made
}

// text writes the timeline for a terminal.
func (s *simulation) text(b *strings.Builder) {
	if s == nil {
		return
	}
	b.WriteString("  simulation\n")
	for line := range strings.Lines(s.timeline) {
		b.WriteString("    " + phrase.Cut(text.Printable(strings.TrimSuffix(line, "\n")), text.Width-4) + "\n")
	}
}

// markdown returns the timeline as a collapsed code block.
func (s *simulation) markdown() string {
	if s == nil {
		return ""
	}
	var lines []string
	for line := range strings.Lines(s.timeline) {
		lines = append(lines, text.Printable(strings.TrimSuffix(line, "\n")))
	}
	return "\n<details><summary>Simulation</summary>\n\n" + text.CodeBlock("", lines) + "\n</details>\n"
}

// rehearsed returns the rollouts with their scenarios, for the rehearsal of a failure.
func rehearsed(all []Rollout) []rehearsal.Rollout {
	var made []rehearsal.Rollout
	for _, r := range all {
		if r.Simulation != nil {
			made = append(made, rehearsal.Rollout{Name: r.Policy, Input: r.input, Scenario: r.Simulation.Scenario})
		}
	}
	return made
}
