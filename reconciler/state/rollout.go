package state

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/gate"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/state/rolloutrecord"
)

// rollouts are the staged rollouts of a Federation.
type rollouts struct {
	// states by the name of the rollout, as the hub has them; hub has those that belong into the status of the Federation.
	states map[string]stage.State
	hub    []v1alpha1.RolloutState
	// dependencies are, by cluster and rollout, the inventory entries of objects that are there for the sake of others.
	dependencies map[string]map[string][]string
	// turns are the active decisions, by cluster and rollout.
	turns map[string]map[string]staged.Assignment
	// seen has the view of each cluster on each rollout; a cluster without an entry gets a new view.
	seen map[string]map[string]gate.View
	// published are the rollouts that the Release reports.
	published []v1alpha1.RolloutStatus
	// commands are those of people on the newest Release.
	commands []policy.Command
	// past are older plans that a rollback, or a cluster that waits for its stage, needs, by revision.
	past rolloutrecord.PastPlans
	// asks has the needs of the gates, expressions their compiled expressions by text.
	asks        gate.Needs
	expressions gate.Expressions
	// startedAt is the time at which this process began to decide.
	startedAt time.Time
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
func (f *Federation) checkRollouts(c *changes.Changes, cluster string) {
	if f.hasRollouts() {
		delete(f.rollouts.seen, cluster)
		c.Rollouts = append(c.Rollouts, changes.RolloutCheck{Federation: f.key, Interval: changes.RolloutInterval})
	}
}

// SetCommands takes over the commands that people put on the newest Release.
func (f *Federation) SetCommands(commands []policy.Command) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(commands, f.rollouts.commands) {
		c.Rollouts = append(c.Rollouts, changes.RolloutCheck{Federation: f.key, Interval: 0})
	}
	f.rollouts.commands = commands
	return c
}

// DecideRollouts decides about the rollouts of the active plan. It returns false if there are none, or if the plan is
// not persisted.
func (f *Federation) DecideRollouts(now time.Time) (*rolloutrecord.Decision, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.active.persisted || !f.hasRollouts() {
		return nil, false
	}
	d := &rolloutrecord.Decision{
		Plan: f.active.plan, Revision: f.active.revision, Outcomes: map[string]stage.Outcome{}, Turns: map[string]map[string]staged.Assignment{},
	}
	for name, l := range f.clusters {
		if f.rollouts.seen[name] == nil {
			f.rollouts.seen[name] = f.lookAt(l)
		}
	}
	for _, r := range f.active.plan.Rollouts() {
		if in := f.stageInput(r, now); len(in.Clusters) > 0 {
			d.Take(r.Name(), stage.Decide(in))
		}
	}
	if probed := f.rollouts.startedAt.Add(reachability.LostGrace); now.Before(probed) {
		d.DecideAgain(probed) // by then every cluster has been probed
	}
	return d, true
}

// ActOnRollouts puts a decision that the hub has into effect. It returns a copy of the newest Release for events, nil if
// another plan is active by now.
func (f *Federation) ActOnRollouts(d *rolloutrecord.Decision) (about *v1alpha1.Release, c changes.Changes) {
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
	s.published = d.Statuses()
	if !equality.Semantic.DeepEqual(before, s.published) {
		f.updateRelease(&c, changes.ReleaseInterval)
	}
	for _, name := range moved {
		f.updateEverythingOn(&c, name)
	}
	return f.records.release.DeepCopy(), c
}

// setTurns gives a cluster its turns. A delivery under way is cancelled only if something else has to be delivered.
func (f *Federation) setTurns(c *changes.Changes, l *delivery.State, turns map[string]staged.Assignment) {
	same := maps.EqualFunc(f.rollouts.turns[l.Name], turns, func(a, b staged.Assignment) bool {
		return (a.Held == "") == (b.Held == "") && a.RollbackTo == b.RollbackTo && a.Keeps == b.Keeps && a.Moved == b.Moved
	})
	f.rollouts.turns[l.Name] = turns
	if same {
		f.updateHeldReasons(l)
		return
	}
	delete(f.rollouts.seen, l.Name)
	f.assign(l)
	c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: l.Name, Priority: changes.Change})
}

// restage starts with a plan that becomes active: a cluster that was updated to the wanted version continues, any other
// waits until its turn is decided.
func (f *Federation) restage(now time.Time) {
	s := &f.rollouts
	if s.startedAt.IsZero() {
		s.startedAt = now
		f.recallRollouts()
	}
	s.seen, s.turns, s.published = map[string]map[string]gate.View{}, map[string]map[string]staged.Assignment{}, nil
	all := f.active.plan.Rollouts()
	if len(all) == 0 {
		f.forgetRollouts()
		return
	}
	for _, r := range all {
		before := s.states[r.Name()].Clusters
		for _, name := range r.Clusters {
			if s.turns[name] == nil {
				s.turns[name] = map[string]staged.Assignment{}
			}
			turn := staged.Assignment{Held: staged.Undecided}
			if m, known := before[name]; known && m.Current.Digest == f.fingerprints.Rollout(r, name) {
				turn.Held = ""
			}
			s.turns[name][r.Name()] = turn
		}
		if len(r.Clusters) > 0 {
			s.published = append(s.published, rolloutrecord.Undecided(r, now))
		}
	}
	if r := f.records.release; r != nil && !f.active.starting { // the status on the hub is about this plan, and may still be true
		s.published = r.Status.Rollouts
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

// staging returns the assigned versions of a cluster; nil without rollouts.
func (f *Federation) staging(l *delivery.State) *staged.Plan {
	if len(f.active.plan.Rollouts()) == 0 {
		return nil
	}
	return staged.New(f.active.plan, l.Name, f.rollouts.turns[l.Name], rolloutrecord.ByObject(f.rollouts.dependencies[l.Name]), l.Labels())
}

// updateHeldReasons takes over why objects are held, where nothing else changed.
func (f *Federation) updateHeldReasons(l *delivery.State) {
	if s := f.staging(l); s != nil {
		l.AdoptHeld(s.ClusterPlan())
		l.NotePlanned(f.active.plan, f.rollouts.turns[l.Name], s)
	}
}

// PastPlan returns the plan of a revision; nil if there is none. made is false for a plan that is or was active: if it does
// not restore a version, one that is made for the clusters of today may.
func (f *Federation) PastPlan(revision string) (plan *propagate.Plan, made bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	past := f.rollouts.past.With(f.active.revision, f.active.plan)[revision]
	return past.Plan, past.Made
}

// keepPastPlans keeps the plans whose versions some clusters have, for the plan that becomes active.
func (f *Federation) keepPastPlans() {
	needed := map[string]bool{}
	for _, l := range f.clusters {
		for _, r := range l.Delivery.Status.Rollouts {
			needed[r.Current.Revision] = true
		}
	}
	f.rollouts.past = f.rollouts.past.With(f.active.revision, f.active.plan).Needed(needed)
}

// KeepPastPlan keeps the plan of an older revision as long as active is the active plan.
func (f *Federation) KeepPastPlan(active *propagate.Plan, revision string, past *propagate.Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan != active {
		return
	}
	f.rollouts.past = f.rollouts.past.Made(revision, past)
}

// RolloutDigest returns the digest of the version that a rollout wants on a cluster, as stages compare it.
func (f *Federation) RolloutDigest(r *propagate.Rollout, cluster string) string {
	return f.fingerprints.Rollout(r, cluster)
}
