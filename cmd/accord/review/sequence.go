package review

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	stages "github.com/accord-dev/accord/propagate/stage"
)

// Rollout is the order in which the change reaches the clusters, for the objects of one RolloutPolicy.
type Rollout struct {
	// Policy is "standard", or "shop/web" for a namespaced policy; At is its place.
	Policy string `json:"policy"`
	At     string `json:"at,omitempty"`
	// Changing are the clusters with a change, sorted.
	Changing []string `json:"changing"`
	// Before and After are the stages at each side; null means all at once.
	Before *sequence `json:"before"`
	After  *sequence `json:"after"`
	// Held and Unreachable are the reasons why clusters will not get the change at once, by name.
	Held        map[string]string `json:"held,omitempty"`
	Unreachable map[string]string `json:"unreachable,omitempty"`
	// Back are the revisions to which a rollback would go.
	Back []rollbackTarget `json:"rollback"`
	// Simulation is the result of --simulate.
	Simulation *simulation `json:"simulation,omitempty"`

	input stages.Input
}

// sequence is the stages of a RolloutPolicy over a fleet.
type sequence struct {
	Stages []stage `json:"stages"`
	// OnFailure is Halt or Rollback. MaxUnhealthy and MaxUnreachable are the failure budget of each stage.
	OnFailure      string `json:"onFailure"`
	MaxUnhealthy   string `json:"maxUnhealthy,omitempty"`
	MaxUnreachable string `json:"maxUnreachable,omitempty"`
	// Longest is the maximum duration, "3h30m", without the steps in Unbounded.
	Longest     string   `json:"longest"`
	Unbounded   []string `json:"unbounded"`
	Paused      bool     `json:"paused,omitempty"`
	PauseReason string   `json:"pauseReason,omitempty"`
	// Faults are clusters that are not in exactly one stage.
	Faults []string `json:"faults,omitempty"`
}

// stage is one stage of the sequence.
type stage struct {
	Name string `json:"name"`
	// Clusters are in the order of their update.
	Clusters []string `json:"clusters"`
	// AtOnce is the number of clusters that may change at the same time, "25%"; empty means all.
	AtOnce string `json:"maxConcurrency,omitempty"`
	// Gate is the conditions of the gate, in words.
	Gate []string `json:"gate"`
	// Deadline is the progress deadline of a cluster.
	Deadline    string `json:"progressDeadline"`
	Paused      bool   `json:"paused,omitempty"`
	PauseReason string `json:"pauseReason,omitempty"`
}

// rollbackTarget is a revision to which clusters would be rolled back.
type rollbackTarget struct {
	// Revision is empty if it is not known: each cluster goes back to its last healthy one.
	Revision string   `json:"revision,omitempty"`
	Clusters []string `json:"clusters"`
	// New is true for clusters without a previous version: there is nothing to roll back to.
	New bool `json:"new,omitempty"`
}

// rollouts returns the rollouts with a change, and those whose policy changes.
func (p *comparison) rollouts(k *load.HubSnapshot, now time.Time) []Rollout {
	if p.head.plan == nil {
		return nil
	}
	runs := p.runningDigests()
	seen := observations(k, now)
	before := map[string]*propagate.Rollout{}
	if p.base.plan != nil {
		for _, r := range p.base.plan.Rollouts() {
			before[r.Name()] = r
		}
	}
	var all []Rollout
	for _, r := range p.head.plan.Rollouts() {
		made := p.rollout(r, runs[r], k, seen, now)
		made.Before = sequenceOf(before[r.Name()])
		if len(made.Changing) > 0 || !samePolicy(before[r.Name()], r) {
			all = append(all, made)
		}
		delete(before, r.Name())
	}
	for _, name := range slices.Sorted(maps.Keys(before)) { // its objects change at once, or are gone
		if was := before[name]; len(was.Clusters) > 0 {
			all = append(all, Rollout{Policy: name, At: was.Policy.Origin.String(), Before: sequenceOf(was), Changing: []string{}, Back: []rollbackTarget{}})
		}
	}
	return all
}

// samePolicy reports whether the RolloutPolicy is equal on both sides.
func samePolicy(was, is *propagate.Rollout) bool {
	return was != nil && reflect.DeepEqual(was.Policy.Spec, is.Policy.Spec)
}

// runningDigests returns, for each rollout of head, the digest of its objects in base on each cluster.
func (p *comparison) runningDigests() map[*propagate.Rollout]map[string]string {
	if p.base.plan == nil || len(p.head.plan.Rollouts()) == 0 {
		return nil
	}
	runs, labels := map[*propagate.Rollout]map[string]string{}, p.base.labels()
	for _, cluster := range p.base.plan.Clusters() {
		items := map[*propagate.Rollout][]stages.Item{}
		target := p.base.plan.ForCluster(cluster)
		for _, o := range target.Objects {
			if r := p.head.plan.Rollout(cluster, o.ID, labels[o.ID]); r != nil {
				items[r] = append(items[r], stages.Item{ID: o.ID, Digest: o.Digest})
			}
		}
		for _, f := range target.Failed {
			if r := p.head.plan.Rollout(cluster, f.ID, labels[f.ID]); r != nil {
				items[r] = append(items[r], stages.Item{ID: f.ID, Digest: "failed:" + f.Err.Error()})
			}
		}
		for r, list := range items {
			if runs[r] == nil {
				runs[r] = map[string]string{}
			}
			runs[r][cluster] = stages.Sum(list)
		}
	}
	return runs
}

// rollout returns the changes of one RolloutPolicy. runs has the digests of base by cluster.
func (p *comparison) rollout(r *propagate.Rollout, runs map[string]string, k *load.HubSnapshot, seen map[string]diff.Observation, now time.Time) Rollout {
	also := slices.Sorted(maps.Keys(runs))
	course := r.Sequence(also...)
	made := Rollout{
		Policy: r.Name(), At: r.Policy.Origin.String(), Changing: []string{}, After: newSequence(course),
		Held: map[string]string{}, Unreachable: map[string]string{},
		input: stages.Input{Sequence: course, Revision: p.head.label, Commands: r.Policy.Commands, Now: now},
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Clusters, also)))) {
		c := stages.Cluster{Name: name, Wanted: r.Digest(name), Held: r.Held(name)}
		if s := seen[name]; s.Unreachable {
			c.Unreachable = text.Join(" for ", "unreachable", silentFor(s.UnreachableFor))
		}
		if runs[name] != "" {
			c.Report = stages.Report{Digest: runs[name], Revision: cmp.Or(seen[name].Revision, p.base.label), Health: stages.Healthy}
		}
		made.input.Clusters = append(made.input.Clusters, c)
		if c.Wanted == runs[name] {
			continue
		}
		made.Changing = append(made.Changing, name)
		if c.Held != "" {
			made.Held[name] = c.Held
		}
		if c.Unreachable != "" {
			made.Unreachable[name] = c.Unreachable
		}
	}
	made.Back = p.rollbackTargets(r.Name(), made.Changing, runs, k)
	return made
}

// rollbackTargets returns the last healthy revision of each changing cluster, as far as the hub or the file has it.
func (p *comparison) rollbackTargets(name string, changing []string, runs map[string]string, k *load.HubSnapshot) []rollbackTarget {
	ways := map[string]*rollbackTarget{}
	add := func(key string, w rollbackTarget, cluster string) {
		if ways[key] == nil {
			ways[key] = &w
		}
		ways[key].Clusters = append(ways[key].Clusters, cluster)
	}
	for _, cluster := range changing {
		switch revision := healthyRevision(k, name, cluster); {
		case revision != "":
			add(revision, rollbackTarget{Revision: revision}, cluster)
		case runs[cluster] == "":
			add("~new", rollbackTarget{New: true}, cluster)
		default:
			add("~", rollbackTarget{}, cluster)
		}
	}
	all := []rollbackTarget{}
	for _, key := range slices.Sorted(maps.Keys(ways)) {
		all = append(all, *ways[key])
	}
	return all
}

// sequenceOf returns the sequence of one side, nil if there is none.
func sequenceOf(r *propagate.Rollout) *sequence {
	if r == nil {
		return nil
	}
	return newSequence(r.Sequence())
}

func newSequence(c stages.Sequence) *sequence {
	spec := c.Policy.Spec
	longest, unbounded := stages.Longest(c)
	o := &sequence{
		Stages: []stage{}, OnFailure: spec.OnFailure, Longest: shortDuration(longest), Unbounded: append([]string{}, unbounded...), Paused: spec.Paused, PauseReason: spec.PauseReason,
		MaxUnhealthy: string(spec.FailureBudget.MaxUnhealthy), MaxUnreachable: string(spec.FailureBudget.MaxUnreachable),
	}
	for _, s := range c.Stages {
		o.Stages = append(o.Stages, stage{
			Name: s.Name, Clusters: append([]string{}, s.Clusters...), AtOnce: string(s.MaxConcurrency), Gate: gateWords(s.Gate),
			Deadline: shortDuration(spec.Deadline(s.RolloutStage).Length()), Paused: s.Paused, PauseReason: s.PauseReason,
		})
	}
	for _, f := range c.Faults {
		o.Faults = append(o.Faults, f.Message)
	}
	return o
}

// gateWords returns the conditions of a gate.
func gateWords(g policy.RolloutGate) []string {
	words := []string{text.Join(" for ", "healthy on this version", shortDuration(g.SoakDuration.Length()))}
	words = append(words, g.Conditions...)
	if g.Job != nil {
		words = append(words, "Job "+g.Job.Namespace+"/"+g.Job.Name+" complete")
	}
	if g.CEL != "" {
		words = append(words, "CEL "+g.CEL)
	}
	if g.Approval == policy.Manual {
		words = append(words, "approved by a person")
	}
	if len(g.Windows) > 0 {
		windows := make([]string, len(g.Windows))
		for i, w := range g.Windows {
			windows[i] = windowWords(w)
		}
		words = append(words, "a window open: "+strings.Join(windows, " or "))
	}
	return words
}

// windowWords returns "Mon Tue 09:00-16:00 Europe/Berlin".
func windowWords(w policy.Window) string {
	hours := ""
	if w.From != "" || w.To != "" {
		hours = cmp.Or(w.From, "00:00") + "-" + cmp.Or(w.To, "24:00")
	}
	return cmp.Or(text.Join(" ", strings.Join(w.Days, " "), hours, cmp.Or(w.TimeZone, "UTC")), "always")
}

// shortDuration returns "3h30m", "90s", and "" for zero.
func shortDuration(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return phrase.Duration(d)
}

// silentFor returns the unreachable time in kubectl's form, and "" if it is not known.
func silentFor(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return duration.HumanDuration(d)
}

// labels returns the labels of the manifests. They select the RolloutPolicy of a removal.
func (s *side) labels() map[manifest.ID]map[string]string {
	all := map[manifest.ID]map[string]string{}
	for _, o := range s.tree.Input.Objects {
		all[o.ID()] = o.Manifest.Labels()
	}
	return all
}
