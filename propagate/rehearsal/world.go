package rehearsal

import (
	"maps"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/taint"
)

// world is the state of a rehearsal.
type world struct {
	scenario Scenario
	start    time.Time
	in       propagate.Input
	plan     *propagate.Plan
	members  []*member
	index    map[string]*member
	// objects are those whose policies have failover, or that have tasks.
	objects []manifest.ID
	copies  map[manifest.ID]map[string]*replica
	tasks   map[manifest.ID][]v1alpha1.GracefulEvictionTask
	// unhealthy is UnhealthySince of the last decision.
	unhealthy map[manifest.ID]map[string]time.Time
	last      failover.Outcome
}

// replica is the copy of an object on a cluster.
type replica struct {
	replicas *int32
	// healthy is the time from which the copy is healthy, before the number of its replicas that were available before the last change.
	healthy time.Duration
	before  int32
}

// available returns the available replicas at a time; 1 for a healthy object without replicas.
func (r *replica) available(at time.Duration) int32 {
	if at < r.healthy {
		return r.before
	}
	return ptr.Deref(r.replicas, 1)
}

// newWorld returns a world in which every copy of a plan runs and is healthy.
func newWorld(in propagate.Input, plan *propagate.Plan, s Scenario) *world {
	w := &world{
		scenario: s, start: in.Now, in: in, plan: plan, index: map[string]*member{}, copies: map[manifest.ID]map[string]*replica{},
		tasks: maps.Clone(in.Evictions),
	}
	if w.tasks == nil {
		w.tasks = map[manifest.ID][]v1alpha1.GracefulEvictionTask{}
	}
	for _, c := range in.Fleet {
		m := newMember(c, s.Failures)
		w.members, w.index[c.Name] = append(w.members, m), m
	}
	for _, d := range plan.Decisions {
		if len(w.tasks[d.ID]) == 0 && !evictable(d) && !movable(d) {
			continue
		}
		w.objects, w.copies[d.ID] = append(w.objects, d.ID), map[string]*replica{}
		for _, c := range own(d) {
			w.copies[d.ID][c.Name] = &replica{replicas: c.Replicas}
		}
		for _, t := range w.tasks[d.ID] {
			if t.Open() {
				w.copies[d.ID][t.FromCluster] = &replica{replicas: t.Replicas}
			}
		}
	}
	return w
}

// evictable reports whether the policy of an object has failover from clusters.
func evictable(d *decision.Decision) bool {
	return d.Policy != nil && d.Policy.Spec.Failover != nil && d.Policy.Spec.Failover.Cluster != nil
}

// movable reports whether the policy of an object has failover of unhealthy workloads.
func movable(d *decision.Decision) bool {
	return d.Policy != nil && d.Policy.Spec.Failover != nil && d.Policy.Spec.Failover.Application != nil
}

// noPlace returns the reason why an object has no other cluster, without the time of the eviction.
func noPlace(d *decision.Decision) string {
	if len(d.Refused) == 0 {
		return "there is no other cluster"
	}
	return decision.NoFit(d.Refused)
}

// own returns the clusters that the policy of an object chose.
func own(d *decision.Decision) []previous.Cluster { return d.OwnClusters() }

// now returns the time of the plan at a time of the rehearsal.
func (w *world) now(at time.Duration) time.Time { return w.start.Add(at) }

// follow updates the members, and returns what happened to them.
func (w *world) follow(at time.Duration) (moments []Moment, changed bool) {
	add := func(m *member, e Event) { moments = append(moments, Moment{At: at, Event: e, Cluster: m.Name}) }
	for _, m := range w.members {
		for _, e := range m.follow(at, w.scenario) {
			add(m, e)
		}
	}
	for _, u := range w.scenario.Unhealthy {
		about := Moment{At: at, Cluster: u.Cluster, Objects: []manifest.ID{u.Object}}
		switch at {
		case u.From:
			about.Event = Ailing
			moments = append(moments, about)
		case u.Until:
			about.Event = Recovers
			moments = append(moments, about)
		}
	}
	all := taint.Fleet{All: len(w.members), MaxNotReady: w.scenario.Settings.MaxUnreachable}
	for _, m := range w.members {
		if !m.ready {
			all.NotReady++
		}
	}
	for _, m := range w.members {
		before := m.Taints
		if m.taint(all, w.scenario.EvictionTimeout, w.now(at)) {
			add(m, NoExecute)
		}
		changed = changed || len(before) != len(m.Taints)
	}
	return moments, changed || slices.ContainsFunc(moments, func(m Moment) bool { return m.Event != Ailing && m.Event != Recovers })
}

// input returns what accord observes at a time.
func (w *world) input(at time.Duration) failover.Input {
	in := failover.Input{Now: w.now(at), Settings: w.scenario.Settings}
	for _, m := range w.members {
		in.Clusters = append(in.Clusters, m.input())
	}
	for _, id := range w.objects {
		d := w.plan.Decision(id)
		if d == nil {
			continue
		}
		o := failover.Object{
			ID: id, Policy: withoutState(d.Policy), Choice: own(d), Stateful: failover.Stateful(w.plan.Manifest(id).Get()), Tasks: w.tasks[id], UnhealthySince: w.unhealthy[id],
		}
		if !w.concerned(o, at) {
			continue
		}
		if d.PlacementRetained || d.Unplaced() {
			o.NoPlace = noPlace(d)
		}
		for i := range o.Choice {
			o.Copies = append(o.Copies, w.observe(o, o.Choice[i].Name, &o.Choice[i], at))
		}
		for _, t := range o.Tasks {
			if !d.On(t.FromCluster) && w.index[t.FromCluster] != nil {
				o.Copies = append(o.Copies, w.observe(o, t.FromCluster, nil, at))
			}
		}
		in.Objects = append(in.Objects, o)
	}
	return in
}

// withoutState returns a policy that preserves no state: nobody knows the status of a copy in advance, and the rehearsal assumes that it
// has every value.
func withoutState(p *policy.Policy) *policy.Policy {
	if len(preserved(p, failover.TaintUntolerated))+len(preserved(p, failover.ApplicationFailure)) == 0 {
		return p
	}
	next, rules := *p, *p.Spec.Failover
	if rules.Cluster != nil {
		rules.Cluster = new(*rules.Cluster)
		rules.Cluster.StatePreservation = nil
	}
	if rules.Application != nil {
		rules.Application = new(*rules.Application)
		rules.Application.StatePreservation = nil
	}
	next.Spec.Failover = &rules
	return &next
}

// preserved returns the rules of a policy for the state that an eviction with a reason preserves.
func preserved(p *policy.Policy, reason string) []policy.StatePreservationRule {
	if p == nil || p.Spec.Failover == nil {
		return nil
	}
	var rules *policy.StatePreservation
	if f := p.Spec.Failover; reason == failover.ApplicationFailure && f.Application != nil {
		rules = f.Application.StatePreservation
	} else if reason != failover.ApplicationFailure && f.Cluster != nil {
		rules = f.Cluster.StatePreservation
	}
	if rules == nil {
		return nil
	}
	return rules.Rules
}

// concerned reports whether a decision could concern an object.
func (w *world) concerned(o failover.Object, at time.Duration) bool {
	return len(o.Tasks) > 0 || len(o.UnhealthySince) > 0 || slices.ContainsFunc(o.Choice, func(c previous.Cluster) bool {
		m, run := w.index[c.Name], w.copies[o.ID][c.Name]
		return m != nil && (noExecute(m.Taints) || run != nil && !w.healthy(o.ID, c.Name, run, at))
	})
}

// healthy reports whether a copy is healthy at a time.
func (w *world) healthy(id manifest.ID, cluster string, run *replica, at time.Duration) bool {
	return at >= run.healthy && !slices.ContainsFunc(w.scenario.Unhealthy, func(u Unhealthy) bool { return u.of(id, cluster) && u.active(at) })
}

// observe returns the copy of an object on a cluster. choice is nil for a cluster that the object left.
func (w *world) observe(o failover.Object, cluster string, choice *previous.Cluster, at time.Duration) failover.Copy {
	c, run := failover.Copy{Cluster: cluster, Health: failover.Unknown, Held: w.plan.HeldOn(cluster, o.ID)}, w.copies[o.ID][cluster]
	if !w.index[cluster].answers {
		return c
	}
	if c.Gone = run == nil; run != nil {
		c.Health, c.Current = failover.Unhealthy, choice == nil || ptr.Equal(run.replicas, choice.Replicas)
		if w.healthy(o.ID, cluster, run, at) {
			c.Health = failover.Healthy
		}
	}
	return c
}

// decide makes a decision at a time, and plans with its tasks. fleetChanged means that the plan has to see other clusters.
func (w *world) decide(in failover.Input, fleetChanged bool) error {
	w.last = failover.Decide(in)
	w.unhealthy = w.last.UnhealthySince
	if len(w.last.Tasks) == 0 && !fleetChanged {
		return nil
	}
	w.tasks = maps.Clone(w.tasks)
	for id, tasks := range w.last.Tasks {
		if w.tasks[id] = tasks; len(tasks) == 0 {
			delete(w.tasks, id)
		}
	}
	w.in.Now, w.in.Evictions, w.in.Previous, w.in.Fleet = in.Now, w.tasks, w.plan.Previous(), make([]fleet.Cluster, len(w.members))
	for i, m := range w.members {
		w.in.Fleet[i] = m.Cluster
	}
	next, err := w.plan.Next(w.in)
	if err == nil {
		w.plan = next
	}
	return err
}

// deliver applies and deletes on the members that answer, and reports whether a copy came, went or changed.
func (w *world) deliver(at time.Duration) (changed bool) {
	for _, id := range w.objects {
		d := w.plan.Decision(id)
		if d == nil {
			continue
		}
		choice, copies := own(d), w.copies[id]
		for name := range copies {
			wanted := slices.ContainsFunc(choice, func(c previous.Cluster) bool { return c.Name == name })
			if !wanted && w.index[name].answers && w.plan.KeepReason(name, id, w.plan.Manifest(id).Labels()) == "" {
				delete(copies, name)
				changed = true
			}
		}
		for _, c := range choice {
			run, m := copies[c.Name], w.index[c.Name]
			if m == nil || !m.answers || c.Held || run != nil && ptr.Equal(run.replicas, c.Replicas) {
				continue
			}
			next := &replica{replicas: c.Replicas, healthy: at + w.scenario.HealthyAfter}
			if run != nil {
				next.before = min(run.available(at), ptr.Deref(c.Replicas, 1))
			}
			copies[c.Name] = next
			changed = true
		}
	}
	return changed
}

// next returns the next time at which something can change.
func (w *world) next(at time.Duration) (next time.Duration, more bool) {
	consider := func(t time.Duration) {
		if t > at && t <= w.scenario.For && (!more || t < next) {
			next, more = t, true
		}
	}
	for _, f := range w.scenario.Failures {
		consider(f.From)
		consider(f.Until)
	}
	for _, u := range w.scenario.Unhealthy {
		consider(u.From)
		consider(u.Until)
	}
	for _, m := range w.members {
		if len(m.failures) == 0 {
			continue
		}
		consider(m.changed + w.scenario.threshold(m.answers))
		for _, t := range m.Taints {
			if t.TimeAdded != nil && taint.IsAutomatic(t.Key) {
				consider(t.TimeAdded.Add(w.scenario.EvictionTimeout).Sub(w.start))
			}
		}
		if m.blocked != nil {
			consider(m.blocked.LastTransitionTime.Add(w.scenario.EvictionTimeout).Sub(w.start))
		}
	}
	for id := range w.tasks {
		for _, c := range w.copies[id] {
			consider(c.healthy)
		}
	}
	for id := range w.unhealthy {
		for _, c := range w.copies[id] {
			consider(c.healthy)
		}
	}
	if !w.last.Again.IsZero() {
		consider(w.last.Again.Sub(w.start))
	}
	return next, more
}
