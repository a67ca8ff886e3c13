package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
)

// maxRounds limits the decisions at the same time, each of which follows from the previous one: a task, its plan, a copy that is gone.
const maxRounds = 8

// Play runs a scenario from the state of a plan, in which all objects are delivered and healthy, and returns its timeline. The plan
// has to be that of in. The error is about a manifest.
func Play(in propagate.Input, plan *propagate.Plan, s Scenario) (Timeline, error) {
	return play(in, plan, s, func(*world, time.Duration) {})
}

// play is Play, and calls see after each time.
func play(in propagate.Input, plan *propagate.Plan, s Scenario, see func(*world, time.Duration)) (Timeline, error) {
	s = s.WithDefaults()
	in.Now = in.Now.Truncate(time.Second)
	w := newWorld(in, plan, s)
	p := &player{world: w, waiting: map[place]string{}, replaced: map[place]bool{}, gone: map[place]bool{}, kept: map[place]bool{}, began: map[int]*propagate.Plan{}}
	p.remember()
	for at := time.Duration(0); ; {
		moments, changed := w.follow(at)
		p.line.Moments = append(p.line.Moments, moments...)
		for range maxRounds {
			decided := w.input(at)
			if err := w.decide(decided, changed); err != nil {
				return Timeline{}, err
			}
			p.add(at, decided)
			changed = false
			if delivered := w.deliver(at); !delivered && len(w.last.Tasks) == 0 {
				break
			}
		}
		see(w, at)
		next, more := w.next(at)
		if !more {
			break
		}
		at = next
	}
	p.line.Lasted = s.For
	p.addVersions()
	p.group()
	p.conclude()
	return p.line, nil
}

// place is an object on a cluster.
type place struct {
	id      manifest.ID
	cluster string
}

// player makes the timeline.
type player struct {
	*world
	line    Timeline
	doubt   string
	waiting map[place]string // the reported reason of an eviction that is blocked or finds no cluster
	// first are the objects of the failing clusters at the beginning.
	first []place
	// replaced are the objects that were healthy on other clusters while their task was open, gone those whose old copy was given up.
	replaced, gone map[place]bool
	// kept are the objects whose old copy stays until a person allows its deletion.
	kept map[place]bool
	// began has the plan of each moment at which an eviction begins, by index.
	began map[int]*propagate.Plan
}

// remember notes the objects of the failing clusters, and those that become unhealthy.
func (p *player) remember() {
	failing := map[string]bool{}
	for _, f := range p.scenario.Failures {
		failing[f.Cluster] = true
	}
	for _, d := range p.plan.Decisions {
		for _, c := range own(d) {
			switch {
			case !failing[c.Name] && !p.scenario.breaks(d.ID, c.Name):
			case failing[c.Name] && evictable(d), p.scenario.breaks(d.ID, c.Name) && movable(d):
				p.first = append(p.first, place{d.ID, c.Name})
			default:
				p.line.Without++
			}
		}
	}
}

// add appends the changes of a decision.
func (p *player) add(at time.Duration, in failover.Input) {
	if now := p.last.Doubt; now != p.doubt {
		if p.doubt = now; now != "" {
			p.line.Moments = append(p.line.Moments, Moment{At: at, Event: Doubts, Message: now})
		}
	}
	p.addReplaced(at, in)
	for _, e := range p.last.Events {
		m := Moment{At: at, Cluster: e.Cluster, Objects: []manifest.ID{e.ID}, Message: e.Message}
		switch e.Kind {
		case failover.ClusterEvicting:
			m.Event, m.To = Evicting, p.leftTo(e.ID, e.Cluster)
			m.Terms, p.began[len(p.line.Moments)] = p.terms(e, m.To), p.plan
		case failover.ClusterEvicted:
			m.Event, p.gone[place{e.ID, e.Cluster}] = Evicted, true
		case failover.EvictionCancelled:
			m.Event = Cancelled
		}
		p.append(m)
	}
	still := map[place]string{}
	for _, b := range p.last.Blocked {
		p.wait(still, at, place{b.ID, b.Cluster}, b.Reason)
	}
	for _, v := range p.last.Waiting {
		key := place{v.ID, v.Cluster}
		if v.Message == failover.WaitsForPerson && p.replaced[key] && !p.kept[key] {
			p.kept[key] = true
			p.append(Moment{At: at, Event: Kept, Cluster: v.Cluster, Objects: []manifest.ID{v.ID}})
		}
		if why, noPlace := strings.CutPrefix(v.Message, failover.WaitsForPlace); noPlace {
			p.wait(still, at, key, why)
		}
	}
	p.waiting = still
}

// addReplaced adds the objects that became healthy on the clusters that replace another one.
func (p *player) addReplaced(at time.Duration, in failover.Input) {
	for _, o := range in.Objects {
		for _, t := range o.Tasks {
			key := place{o.ID, t.FromCluster}
			if (t.Open() || purgedDirectly(t)) && !p.replaced[key] && healthyWithout(o, t.FromCluster) {
				p.replaced[key] = true
				p.append(Moment{At: at, Event: Replaced, Cluster: t.FromCluster, Objects: []manifest.ID{o.ID}, To: o.Choice})
			}
		}
	}
}

// purgedDirectly reports whether a task ended with the deletion of the old copy, before its replacement was delivered.
func purgedDirectly(t v1alpha1.GracefulEvictionTask) bool {
	return t.PurgeMode == v1alpha1.PurgeDirectly && !t.Open() && !t.Cancelled
}

// terms returns the rules of an eviction that begins.
func (p *player) terms(e failover.Event, to []previous.Cluster) string {
	i := slices.IndexFunc(p.tasks[e.ID], func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == e.Cluster })
	if i < 0 {
		return ""
	}
	t, terms := p.tasks[e.ID][i], ""
	if t.Reason == failover.ApplicationFailure {
		terms = e.Message + " (purgeMode " + string(t.PurgeMode)
		if t.GracePeriodSeconds != nil {
			terms += fmt.Sprintf(", gracePeriodSeconds %d", *t.GracePeriodSeconds)
		}
		terms += ")"
	}
	if t.PurgeMode != v1alpha1.PurgeDirectly || len(to) != 1 || slices.Contains(t.ClustersBeforeFailover, to[0].Name) {
		return terms
	}
	for _, r := range preserved(p.plan.Decision(e.ID).Policy, t.Reason) {
		terms = phrase.Reasons(terms, fmt.Sprintf("the label %s gets %s of the old status", r.AliasLabelName, r.JSONPath))
	}
	return terms
}

// healthyWithout reports whether an object left a cluster and is healthy on all others.
func healthyWithout(o failover.Object, from string) bool {
	for _, c := range o.Choice {
		if c.Name == from || !slices.ContainsFunc(o.Copies, func(x failover.Copy) bool { return x.Cluster == c.Name && x.Health == failover.Healthy && x.Current }) {
			return false
		}
	}
	return len(o.Choice) > 0
}

// wait adds the reason of an eviction that is blocked or finds no cluster to those that still hold, and reports a reason once.
func (p *player) wait(still map[place]string, at time.Duration, key place, message string) {
	if still[key] = message; p.waiting[key] == message {
		return
	}
	p.append(Moment{At: at, Event: Blocked, Cluster: key.cluster, Objects: []manifest.ID{key.id}, Message: message})
}

func (p *player) append(m Moment) { p.line.Moments = append(p.line.Moments, m) }

// group joins neighbouring moments about different objects that are the same otherwise.
func (p *player) group() {
	var joined []Moment
	for _, m := range p.line.Moments {
		if n := len(joined); n > 0 && joins(joined[n-1], m) {
			joined[n-1].Objects = append(joined[n-1].Objects, m.Objects...)
			continue
		}
		joined = append(joined, m)
	}
	p.line.Moments = joined
}

// joins reports whether two moments differ in their objects only.
func joins(a, b Moment) bool {
	return a.At == b.At && a.Event == b.Event && a.Cluster == b.Cluster && a.Message == b.Message && a.Terms == b.Terms && sameClusters(a.To, b.To)
}

func sameClusters(a, b []previous.Cluster) bool {
	return slices.EqualFunc(a, b, func(x, y previous.Cluster) bool { return x.Name == y.Name })
}

// leftTo returns the clusters of an object without one.
func (p *player) leftTo(id manifest.ID, from string) []previous.Cluster {
	d := p.plan.Decision(id)
	if d == nil || d.PlacementRetained {
		return nil
	}
	return slices.DeleteFunc(own(d), func(c previous.Cluster) bool { return c.Name == from })
}

// conclude sets the ends.
func (p *player) conclude() {
	for _, f := range p.first {
		e := End{ID: f.id, Cluster: f.cluster, State: Stays, Message: p.waiting[f], To: p.leftTo(f.id, f.cluster)}
		d := p.plan.Decision(f.id)
		i := slices.IndexFunc(p.tasks[f.id], func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == f.cluster })
		open := i >= 0 && p.tasks[f.id][i].Open()
		left := p.gone[f] && d != nil && !d.On(f.cluster)
		switch {
		case p.replaced[f] && (open || left), left && (i < 0 || !purgedDirectly(p.tasks[f.id][i])):
			e.State = Moved
		case strings.HasPrefix(e.Message, failover.WaitsForTurn):
			e.State = Queued
		case e.Message != "" && (i < 0 || open), open && len(e.To) == 0:
			e.State = NoPlace
		case open, left:
			e.State = Moving
		}
		switch {
		case e.State != NoPlace:
			e.Message = ""
		case e.Message == "" && d != nil:
			e.Message = noPlace(d)
		}
		p.line.Ends = append(p.line.Ends, e)
	}
	slices.SortFunc(p.line.Ends, func(a, b End) int {
		if order := a.ID.Compare(b.ID); order != 0 {
			return order
		}
		return strings.Compare(a.Cluster, b.Cluster)
	})
}
