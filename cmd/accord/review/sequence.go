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
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	stages "github.com/accord-dev/accord/propagate/stage"
)

// A plannedRollout is in which order the change reaches the clusters, for the objects of one RolloutPolicy.
type rollout struct {
	// Policy is "standard", or "shop/web" for one of a namespace; At is where it stands.
	Policy string `json:"policy"`
	At     string `json:"at,omitempty"`
	// Changing are the clusters in which something of it changes, sorted.
	Changing []string `json:"changing"`
	// Before and After are the order at each side; null: all at once.
	Before *sequence `json:"before"`
	After  *sequence `json:"after"`
	// Held and Unreachable are why clusters will not get it at once, by name.
	Held        map[string]string `json:"held,omitempty"`
	Unreachable map[string]string `json:"unreachable,omitempty"`
	// Back is where a rollback would go.
	Back []rollbackTarget `json:"rollback"`
	// Simulation is what happens in a scenario; absent without --simulate.
	Simulation *simulation `json:"simulation,omitempty"`

	input stages.Input
}

// A plannedOrder is the stages of a RolloutPolicy over a fleet.
type sequence struct {
	Stages []stage `json:"stages"`
	// OnFailure is Halt or Rollback; MaxUnhealthy and MaxUnreachable are what each stage bears without failing.
	OnFailure      string `json:"onFailure"`
	MaxUnhealthy   string `json:"maxUnhealthy,omitempty"`
	MaxUnreachable string `json:"maxUnreachable,omitempty"`
	// Longest is how long it takes at most, "3h30m", but for what Unbounded has.
	Longest     string   `json:"longest"`
	Unbounded   []string `json:"unbounded"`
	Paused      bool     `json:"paused,omitempty"`
	PauseReason string   `json:"pauseReason,omitempty"`
	// Faults are clusters that are not in exactly one stage.
	Faults []string `json:"faults,omitempty"`
}

// A plannedStage is one step of the order.
type stage struct {
	Name string `json:"name"`
	// Clusters in the order in which they get a change.
	Clusters []string `json:"clusters"`
	// AtOnce is how many may be changing at the same time, "25%"; empty: all.
	AtOnce string `json:"maxConcurrency,omitempty"`
	// Gate is what has to be true before the stage is left, in words.
	Gate []string `json:"gate"`
	// Deadline is how long a cluster may take.
	Deadline    string `json:"progressDeadline"`
	Paused      bool   `json:"paused,omitempty"`
	PauseReason string `json:"pauseReason,omitempty"`
}

// A wayBack is a revision that clusters would be given back.
type rollbackTarget struct {
	// Revision is empty where it is not known: what each last had healthy.
	Revision string   `json:"revision,omitempty"`
	Clusters []string `json:"clusters"`
	// New says that nothing was there before: there is nothing to give back.
	New bool `json:"new,omitempty"`
}

// rollouts are those in which something changes, or whose policy does.
func (p *comparison) rollouts(k *load.HubSnapshot, now time.Time) []rollout {
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
	var all []rollout
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
			all = append(all, rollout{Policy: name, At: was.Policy.Origin.String(), Before: sequenceOf(was), Changing: []string{}, Back: []rollbackTarget{}})
		}
	}
	return all
}

// samePolicy says that a RolloutPolicy says the same on both sides.
func samePolicy(was, is *propagate.Rollout) bool {
	return was != nil && reflect.DeepEqual(was.Policy.Spec, is.Policy.Spec)
}

// runningDigests is what base has on each cluster of what each rollout of head moves.
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

// rollout is what changes by one RolloutPolicy. runs is what clusters have of it.
func (p *comparison) rollout(r *propagate.Rollout, runs map[string]string, k *load.HubSnapshot, seen map[string]diff.Observation, now time.Time) rollout {
	also := slices.Sorted(maps.Keys(runs))
	course := r.Course(also...)
	made := rollout{
		Policy: r.Name(), At: r.Policy.Origin.String(), Changing: []string{}, After: newSequence(course),
		Held: map[string]string{}, Unreachable: map[string]string{},
		input: stages.Input{Course: course, Revision: p.head.label, Orders: r.Policy.Commands, Now: now},
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.Clusters, also)))) {
		c := stages.Cluster{Name: name, Wanted: r.Digest(name), Held: r.Held(name)}
		if s := seen[name]; s.Unreachable {
			c.Unreachable = text.Join(" for ", "not heard from", silentFor(s.UnreachableFor))
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

// rollbackTargets is what each changing cluster would be given back: what it last had healthy, as far as a hub or a file knows.
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

// sequenceOf is that of one side; nil when there is none.
func sequenceOf(r *propagate.Rollout) *sequence {
	if r == nil {
		return nil
	}
	return newSequence(r.Course())
}

func newSequence(c stages.Course) *sequence {
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

// gateWords are what a gate asks for.
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

// windowWords is "Mon Tue 09:00-16:00 Europe/Berlin".
func windowWords(w policy.Window) string {
	hours := ""
	if w.From != "" || w.To != "" {
		hours = cmp.Or(w.From, "00:00") + "-" + cmp.Or(w.To, "24:00")
	}
	return cmp.Or(text.Join(" ", strings.Join(w.Days, " "), hours, cmp.Or(w.TimeZone, "UTC")), "always")
}

// shortDuration is "3h30m", "90s"; empty for none.
func shortDuration(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// silentFor is how long nothing was heard, as kubectl writes it; empty when that is not known.
func silentFor(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return duration.HumanDuration(d)
}

// labels of the manifests of a side, which say by which RolloutPolicy a removal moves.
func (s *side) labels() map[manifest.ID]map[string]string {
	all := map[manifest.ID]map[string]string{}
	for _, o := range s.tree.Input.Objects {
		all[o.ID()] = o.Manifest.GetLabels()
	}
	return all
}
