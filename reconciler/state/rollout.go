package state

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/status"
)

// rollouts are the staged rollouts of a Federation.
type rollouts struct {
	// states by the name of the rollout, as the hub has them; hub is what the status of the Federation is to have.
	states map[string]stage.State
	hub    []v1alpha1.RolloutState
	// dependencies are, by cluster and rollout, the inventory entries of objects that are there for the sake of others.
	dependencies map[string]map[string][]string
	// turns are the active decisions, by cluster and rollout.
	turns map[string]map[string]propagate.StageAssignment
	// seen is what each cluster has of each rollout; a cluster without an entry is looked at again.
	seen map[string]map[string]seen
	// published is what the Release reports.
	published []v1alpha1.RolloutStatus
	// commands are those of people on the newest Release.
	commands []policy.Command
	// past are older plans that a rollback delivers, by revision.
	past map[string]*propagate.Plan
	// asks is what the gates need of live objects, expressions are those of gates, compiled, by their text.
	asks        asks
	expressions map[string]*stage.Expression
	// startedAt is when this process began to decide.
	startedAt time.Time
}

// RolloutDecision is one decision about the rollouts of a Federation. It is made, written to the hub, and then acted on.
type RolloutDecision struct {
	Plan     *propagate.Plan
	Revision string
	Outcomes map[string]stage.Outcome // by name of the rollout
	// Turns by cluster and rollout.
	Turns map[string]map[string]propagate.StageAssignment
	// Changed are the clusters that get something new: their Deliveries are written before they do.
	Changed []string
	// Again is when the next decision is due; zero for not before something changes.
	Again time.Time
}

// HasRollouts reports whether the active plan has rollouts.
func (f *Federation) HasRollouts() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hasRollouts()
}

func (f *Federation) hasRollouts() bool {
	return f.active.plan != nil && len(f.active.plan.Rollouts()) > 0
}

// checkRollouts requests a decision, because something may have changed on a cluster.
func (f *Federation) checkRollouts(c *Changes, cluster string) {
	if f.hasRollouts() {
		delete(f.rollouts.seen, cluster)
		c.Rollouts = append(c.Rollouts, RolloutCheck{f.key, rolloutInterval})
	}
}

// SetCommands takes over the commands that people put on the newest Release.
func (f *Federation) SetCommands(commands []policy.Command) (c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(commands, f.rollouts.commands) {
		c.Rollouts = append(c.Rollouts, RolloutCheck{f.key, 0})
	}
	f.rollouts.commands = commands
	return c
}

// DecideRollouts decides about the rollouts of the active plan. It returns false if there are none, or if the plan is
// not persisted.
func (f *Federation) DecideRollouts(now time.Time) (*RolloutDecision, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.active.persisted || !f.hasRollouts() {
		return nil, false
	}
	d := &RolloutDecision{
		Plan: f.active.plan, Revision: f.active.revision, Outcomes: map[string]stage.Outcome{}, Turns: map[string]map[string]propagate.StageAssignment{},
	}
	for name, l := range f.clusters {
		if f.rollouts.seen[name] == nil {
			f.rollouts.seen[name] = f.lookAt(l)
		}
	}
	for _, r := range f.active.plan.Rollouts() {
		if in := f.stageInput(r, now); len(in.Clusters) > 0 {
			d.take(r.Name(), stage.Decide(in))
		}
	}
	if probed := f.rollouts.startedAt.Add(LostGrace); now.Before(probed) {
		d.DecideAgain(probed) // by then every cluster has been probed
	}
	return d, true
}

// take adds the outcome of one rollout.
func (d *RolloutDecision) take(name string, o stage.Outcome) {
	d.Outcomes[name] = o
	d.DecideAgain(o.RequeueAt)
	for _, x := range o.Decisions {
		d.SetTurn(x.Cluster, name, propagate.StageAssignment{Held: x.Held})
		if x.Changed && !slices.Contains(d.Changed, x.Cluster) {
			d.Changed = append(d.Changed, x.Cluster)
		}
	}
}

// SetTurn decides what a cluster gets of a rollout.
func (d *RolloutDecision) SetTurn(cluster, rollout string, turn propagate.StageAssignment) {
	if d.Turns[cluster] == nil {
		d.Turns[cluster] = map[string]propagate.StageAssignment{}
	}
	d.Turns[cluster][rollout] = turn
}

// DecideAgain requests the next decision at a time, if that is earlier than the one requested so far.
func (d *RolloutDecision) DecideAgain(at time.Time) {
	if !at.IsZero() && (d.Again.IsZero() || at.Before(d.Again)) {
		d.Again = at
	}
}

// ActOnRollouts puts a decision that the hub has into effect. It returns a copy of the newest Release for events, nil if
// another plan is active by now.
func (f *Federation) ActOnRollouts(d *RolloutDecision) (about *v1alpha1.Release, c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != d.Plan {
		return nil, c
	}
	s := &f.rollouts
	s.states = map[string]stage.State{}
	for name, o := range d.Outcomes {
		s.states[name] = o.State
	}
	var moved []string
	for _, name := range f.names() {
		if !maps.Equal(s.turns[name], d.Turns[name]) {
			f.setTurns(&c, f.clusters[name], d.Turns[name])
			moved = append(moved, name)
		}
	}
	before := s.published
	s.published = d.statuses()
	if !equality.Semantic.DeepEqual(before, s.published) {
		f.updateRelease(&c, releaseInterval)
	}
	for _, name := range moved {
		f.updateEverythingOn(&c, name)
	}
	return f.records.release.DeepCopy(), c
}

// setTurns gives a cluster its turns. A delivery under way is cancelled only if something else has to be delivered.
func (f *Federation) setTurns(c *Changes, l *cluster, turns map[string]propagate.StageAssignment) {
	same := maps.EqualFunc(f.rollouts.turns[l.name], turns, func(a, b propagate.StageAssignment) bool {
		return (a.Held == "") == (b.Held == "") && a.RollbackTo == b.RollbackTo
	})
	f.rollouts.turns[l.name] = turns
	if same {
		f.updateHeldReasons(l)
		return
	}
	delete(f.rollouts.seen, l.name)
	f.assign(l)
	c.Deliveries = append(c.Deliveries, DeliveryRequest{Federation: f.key, Cluster: l.name, Priority: Change})
}

// restage starts with a plan that becomes active: a cluster that was updated to the wanted version continues, any other
// waits until its turn is decided.
func (f *Federation) restage(now time.Time) {
	s := &f.rollouts
	if s.startedAt.IsZero() {
		s.startedAt = now
		f.recallRollouts()
	}
	s.seen, s.turns, s.published, s.past = map[string]map[string]seen{}, map[string]map[string]propagate.StageAssignment{}, nil, nil
	all := f.active.plan.Rollouts()
	if len(all) == 0 {
		f.forgetRollouts()
		return
	}
	for _, r := range all {
		before := s.states[r.Name()].Clusters
		for _, name := range r.Clusters {
			if s.turns[name] == nil {
				s.turns[name] = map[string]propagate.StageAssignment{}
			}
			turn := propagate.StageAssignment{Held: propagate.UndecidedStage}
			if m, known := before[name]; known && m.Current.Digest == f.fingerprints.Rollout(r, name) {
				turn.Held = ""
			}
			s.turns[name][r.Name()] = turn
		}
		if len(r.Clusters) > 0 {
			s.published = append(s.published, undecided(r, now))
		}
	}
	if !f.active.starting { // the status on the hub is about this plan, and may still be true
		s.published = f.records.release.Status.Rollouts
	}
}

// undecided returns the status of a rollout before its first decision.
func undecided(r *propagate.Rollout, now time.Time) v1alpha1.RolloutStatus {
	return v1alpha1.RolloutStatus{
		Policy: r.Name(), Phase: string(stage.Rolling), Reason: string(stage.Rolling), Message: "accord compares what its clusters run",
		WaitingFor: &v1alpha1.WaitingFor{Message: "the first decision", Since: status.Time(now)},
	}
}

// heldByStages reports whether a stage holds something on a cluster; the Release reports that.
func (f *Federation) heldByStages(cluster string) bool {
	for _, turn := range f.rollouts.turns[cluster] {
		if turn.Held != "" {
			return true
		}
	}
	return false
}

// staging returns what a cluster gets now; nil without rollouts.
func (f *Federation) staging(l *cluster) *propagate.StagedPlan {
	if len(f.active.plan.Rollouts()) == 0 {
		return nil
	}
	s := f.active.plan.Stage(l.name, f.rollouts.turns[l.name], f.dependenciesOn(l.name), l.labels())
	return &s
}

// labels returns the objects on the cluster with their labels.
func (l *cluster) labels() iter.Seq2[manifest.ID, map[string]string] {
	return func(yield func(manifest.ID, map[string]string) bool) {
		for id, seen := range l.live.All() {
			if !yield(id, seen.Labels) {
				return
			}
		}
	}
}

// dependenciesOn returns the objects on a cluster that are there for the sake of others, with the rollout that they came
// with.
func (f *Federation) dependenciesOn(cluster string) map[manifest.ID]string {
	all := map[manifest.ID]string{}
	for name, entries := range f.rollouts.dependencies[cluster] {
		for _, entry := range entries {
			if id, err := manifest.ParseEntry(entry); err == nil {
				all[id] = name
			}
		}
	}
	return all
}

// updateHeldReasons takes over why objects are held, where nothing else changed.
func (f *Federation) updateHeldReasons(l *cluster) {
	s := f.staging(l)
	if s == nil {
		return
	}
	l.target = s.ClusterPlan()
	for _, p := range l.target.Objects {
		w := l.wants.of(p.ID)
		w.held = p.Held
		l.wants.set(p.ID, w)
	}
	for _, x := range l.target.Failed {
		w := l.wants.of(x.ID)
		w.held = x.Held
		l.wants.set(x.ID, w)
	}
	f.notePlanned(l)
}

// notePlanned records what the plan wants where a rollback delivers an older version: status is computed from the plan.
func (f *Federation) notePlanned(l *cluster) {
	for name, turn := range f.rollouts.turns[l.name] {
		if turn.RollbackTo == nil {
			continue
		}
		for _, p := range l.target.Objects {
			if r := turn.RollbackTo.Rollout(l.name, p.ID, nil); r != nil && r.Name() == name {
				l.plannedAs(p.ID, want{held: turn.Held})
			}
		}
		whole := f.active.plan.ForCluster(l.name)
		for _, p := range whole.Objects {
			if r := f.active.plan.Rollout(l.name, p.ID, nil); r != nil && r.Name() == name {
				l.plannedAs(p.ID, want{digest: p.Digest, held: turn.Held, object: p.Rendered, implied: p.Implied})
			}
		}
		for _, x := range whole.Failed {
			if r := f.active.plan.Rollout(l.name, x.ID, nil); r != nil && r.Name() == name {
				l.plannedAs(x.ID, want{held: turn.Held, err: x.Err.Error()})
			}
		}
	}
}

func (l *cluster) plannedAs(id manifest.ID, planned want) {
	w := l.wants.of(id)
	w.planned = &planned
	l.wants.set(id, w)
}

// PastPlan returns the plan of an older revision that was made for a rollback of the active plan; nil if there is none.
func (f *Federation) PastPlan(revision string) *propagate.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rollouts.past[revision]
}

// KeepPastPlan keeps the plan of an older revision as long as active is the active plan.
func (f *Federation) KeepPastPlan(active *propagate.Plan, revision string, past *propagate.Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != active {
		return
	}
	if f.rollouts.past == nil {
		f.rollouts.past = map[string]*propagate.Plan{}
	}
	f.rollouts.past[revision] = past
}

// RestoresVersion returns why a past plan does not have the version that a cluster is rolled back to; nil if it has.
func (f *Federation) RestoresVersion(past *propagate.Plan, rollout, cluster string, version stage.Version) error {
	i := slices.IndexFunc(past.Rollouts(), func(r *propagate.Rollout) bool { return r.Name() == rollout })
	if i < 0 || f.fingerprints.Rollout(past.Rollouts()[i], cluster) != version.Digest {
		return fmt.Errorf("rendered from %s for the clusters of today it would be another version", version.Revision)
	}
	return nil
}

// statuses returns what the Release reports of the rollouts.
func (d *RolloutDecision) statuses() []v1alpha1.RolloutStatus {
	var all []v1alpha1.RolloutStatus
	for _, name := range slices.Sorted(maps.Keys(d.Outcomes)) {
		all = append(all, rolloutStatus(name, d.Outcomes[name]))
	}
	return all
}

func rolloutStatus(name string, o stage.Outcome) v1alpha1.RolloutStatus {
	r := v1alpha1.RolloutStatus{
		Policy: name, ID: stage.ShortID(o.ID), Phase: string(o.Phase), Reason: o.Reason, Message: o.Message, Terminal: o.State.Failure != nil,
		Stage: o.Stage, StageIndex: int32(o.StageIndex), StartedAt: status.Time(o.State.StartedAt), CompletedAt: status.Time(o.State.CompletedAt), OutdatedClusters: o.OutdatedClusters,
	}
	for _, s := range o.Stages {
		r.Stages = append(r.Stages, v1alpha1.StageStatus{
			Name: s.Name, Clusters: int32(s.Clusters), UpdatedClusters: int32(s.Updated), Healthy: int32(s.Healthy), Failing: int32(s.Failing), Held: int32(s.Held),
			Unreachable: int32(s.Unreachable), StartedAt: status.Time(s.StartedAt), CompletedAt: status.Time(s.CompletedAt), Message: s.Message,
		})
	}
	if w := o.WaitingFor; w != nil {
		r.WaitingFor = &v1alpha1.WaitingFor{Cluster: w.Cluster, Stage: w.Stage, Message: w.Message, Since: status.Time(w.Since), Deadline: status.Time(w.Deadline)}
	}
	for _, d := range o.Decisions {
		if d.RollbackTo != nil && d.RollbackTo.Revision != "" && !slices.Contains(r.RollbackRevisions, d.RollbackTo.Revision) {
			r.RollbackRevisions = append(r.RollbackRevisions, d.RollbackTo.Revision)
		}
	}
	slices.Sort(r.RollbackRevisions)
	return r
}

// byPolicy sorts what is reported of rollouts.
func byPolicy[T any](list []T, name func(T) string) []T {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return list
}

// RolloutDigest returns the digest of the version that a rollout wants on a cluster, as stages compare it.
func (f *Federation) RolloutDigest(r *propagate.Rollout, cluster string) string {
	return f.fingerprints.Rollout(r, cluster)
}
