// Package evictions gathers the inputs of failover.Decide for one Federation, and remembers the health of its workloads. Package state
// owns the values and locks them.
package evictions

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/hubobjects"
	"github.com/accord-dev/accord/reconciler/state/record"
)

// State is the memory of one Federation. The zero State remembers nothing.
type State struct {
	// watched are the objects of the active plan whose policies have application failover, stale those of them that were observed
	// since the last decision.
	watched, stale map[manifest.ID]bool
	// unhealthy has, by object and cluster, the time since which a copy is unhealthy.
	unhealthy map[manifest.ID]map[string]time.Time
	// explained are the open and the blocked evictions of each object that has any.
	explained map[manifest.ID][]v1alpha1.EvictionState
	// recovering has the time of the failure for each task that began in this process, until a replacement is healthy.
	recovering map[task]time.Time
	// Counts are the figures for metrics.
	Counts counts.Failover
}

// task identifies a task.
type task struct {
	id      manifest.ID
	cluster string
}

// Restore returns the State that the statuses of FederatedObjects record.
func Restore(objects *hubobjects.Records) State {
	s := State{unhealthy: map[manifest.ID]map[string]time.Time{}}
	for id, o := range objects.All() {
		for _, u := range o.Status.UnhealthySince {
			if s.unhealthy[id] == nil {
				s.unhealthy[id] = map[string]time.Time{}
			}
			s.unhealthy[id][u.Cluster] = u.Since.UTC()
		}
	}
	return s
}

// Watch takes over the plan that becomes active. carried are the decisions that did not change since the plan before; after a change of
// the Federation the zero value.
func (s *State) Watch(f *v1alpha1.Failover, plan *propagate.Plan, carried record.Carried) {
	if f == nil || !f.Enabled {
		s.watched, s.stale, s.unhealthy = nil, nil, nil
		return
	}
	if s.watched == nil || !carried.IsStep() {
		s.watched, carried = map[manifest.ID]bool{}, record.Carried{}
	}
	for _, d := range carried.Decisions(plan) {
		if d.Policy != nil && d.Policy.Spec.Failover != nil && d.Policy.Spec.Failover.Application != nil {
			s.watched[d.ID] = true
			s.observe(d.ID)
		} else {
			delete(s.watched, d.ID)
		}
	}
	maps.DeleteFunc(s.unhealthy, func(id manifest.ID, _ map[string]time.Time) bool { return !s.watched[id] })
}

func (s *State) observe(id manifest.ID) {
	if s.stale == nil {
		s.stale = map[manifest.ID]bool{}
	}
	s.stale[id] = true
}

// Observed records that a copy of an object may have changed. It reports whether a decision may depend on it: a blocked eviction can wait
// for a value of the status.
func (s *State) Observed(id manifest.ID, tasks bool) bool {
	if s.watched[id] {
		s.observe(id)
	}
	return tasks || s.watched[id] || len(s.explained[id]) > 0
}

// Explain returns the open and the blocked evictions of an object, and its unhealthy copies, as the status of its FederatedObject has them.
func (s *State) Explain(id manifest.ID) (open []v1alpha1.EvictionState, unhealthy []v1alpha1.UnhealthyCopy) {
	return s.explained[id], s.unhealthySince(id)
}

// unhealthySince returns the unhealthy copies of an object as its FederatedObject records them.
func (s *State) unhealthySince(id manifest.ID) []v1alpha1.UnhealthyCopy {
	var all []v1alpha1.UnhealthyCopy
	for _, cluster := range slices.Sorted(maps.Keys(s.unhealthy[id])) {
		all = append(all, v1alpha1.UnhealthyCopy{Cluster: cluster, Since: metav1.NewTime(s.unhealthy[id][cluster])})
	}
	return all
}

// Facts are the parts of the state of a Federation that a decision depends on.
type Facts struct {
	Plan      *propagate.Plan
	Objects   *hubobjects.Records
	Clusters  map[string]*delivery.State
	Suspended bool
}

// Input completes the input of a decision with the objects that could be concerned. Without a failure these are the watched objects that
// were observed since the last decision.
func (s *State) Input(in failover.Input, f Facts) failover.Input {
	ids := maps.Clone(s.stale)
	if ids == nil {
		ids = map[manifest.ID]bool{}
	}
	for id := range s.unhealthy {
		ids[id] = true
	}
	for id := range f.Objects.AllEvictions() {
		ids[id] = true
	}
	for id := range s.explained {
		ids[id] = true
	}
	answers := map[string]bool{}
	for _, c := range in.Clusters {
		answers[c.Name] = c.Answers
		evicts := c.Removing || in.Settings.Enabled && slices.ContainsFunc(c.Taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute })
		if l := f.Clusters[c.Name]; l != nil && evicts {
			for id := range l.Wants.All() {
				ids[id] = ids[id] || concerned(f.Plan.Decision(id), c)
			}
		}
	}
	for id, concerned := range ids {
		if concerned && f.Objects.Of(id) != nil && !f.Objects.IsDeferred(id) { // tasks are recorded on its FederatedObject
			o := s.object(id, f, answers)
			s.recover(o, in.Now)
			in.Objects = append(in.Objects, o)
		}
	}
	return in
}

// concerned reports whether a cluster can evict the object of a decision.
func concerned(d *decision.Decision, c failover.Cluster) bool {
	return d != nil && d.Policy != nil && (c.Removing || d.Policy.Spec.Failover != nil && d.Policy.Spec.Failover.Cluster != nil)
}

func (s *State) object(id manifest.ID, f Facts, answers map[string]bool) failover.Object {
	o := failover.Object{ID: id, Tasks: f.Objects.Evictions(id), UnhealthySince: s.unhealthy[id]}
	d := f.Plan.Decision(id)
	if d == nil || d.Policy == nil {
		return o
	}
	o.Policy, o.Stateful = d.Policy, failover.Stateful(f.Plan.Manifest(id).Get())
	if d.PlacementRetained {
		o.NoPlace = d.Why
	}
	on := map[string]bool{}
	for _, c := range d.Chosen {
		if c.RequiredBy == nil {
			o.Choice, on[c.Cluster] = append(o.Choice, choice(c)), true
		}
	}
	for _, t := range o.Tasks {
		on[t.FromCluster] = on[t.FromCluster] || t.Open()
	}
	for _, name := range slices.Sorted(maps.Keys(on)) {
		if l := f.Clusters[name]; on[name] && l != nil {
			o.Copies = append(o.Copies, copyOn(l, id, f, answers[name], d))
		}
	}
	return o
}

// copyOn returns the copy of an object on a cluster. A copy that waits for its stage is not held: it is evicted, and its replacement gets
// its version.
func copyOn(l *delivery.State, id manifest.ID, f Facts, answers bool, d *decision.Decision) failover.Copy {
	c := failover.Copy{Cluster: l.Name, Held: f.Plan.HoldReason(l.Name, id, f.Plan.Manifest(id).Labels())}
	w := l.Wants.Of(id)
	if c.Held == "" && f.Suspended {
		c.Held = "the federation is suspended"
	}
	report, seen := l.Reports.Get(id)
	switch {
	case !answers:
		c.Health = failover.Unknown
	case !l.Listed:
	case !seen:
		_, there := l.Live.Get(id)
		c.Health, c.Gone = failover.Unknown, !there && l.Kinds[id.GroupKind()]
	default:
		c.Health = health(id, report)
		c.Current = w.Digest != "" && report.Digest == w.Digest && (!report.Observes || report.ObservedGeneration >= report.Generation)
	}
	if id.GroupKind() == job {
		c.Run = run(report, seen, answers && l.Listed)
	}
	if seen && preserves(d) {
		c.Status = rawStatus(report)
	}
	return c
}
