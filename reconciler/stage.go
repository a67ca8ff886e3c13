package reconciler

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

// stagePace is the least time between two decisions about the rollouts of a federation.
const stagePace = 100 * time.Millisecond

// staging is what a federation knows of its rollouts. It is guarded by the mutex of the federation.
type staging struct {
	// states by the name of the rollout, as the hub has them.
	states map[string]stage.State
	// hub is what the Federation is to say of them.
	hub []v1alpha1.RolloutState
	// along are, by cluster, the objects that are there for the sake of others, as inventory entries, by rollout.
	along map[string]map[string][]string
	// turns by cluster and rollout: what is in force.
	turns map[string]map[string]propagate.StageAssignment
	// seen is what each cluster has of each rollout; what is not there has to be looked for.
	seen map[string]map[string]seen
	// told is what the Release says.
	told []v1alpha1.RolloutStatus
	// orders of people on the Release.
	orders []policy.Command
	// past are older plans of which something was given back, by revision.
	past map[string]*propagate.Plan
	// asks is what the gates ask of clusters.
	asks asks
	// expressions are those of gates, compiled, by their text.
	expressions map[string]*stage.Expression
	// began is when this process began with the federation.
	began time.Time
}

// stir has the rollouts looked at, because something may have changed on a cluster. The caller holds f.mu.
func (r *reporter) stir(f *federation, cluster string) {
	if f.plan == nil || len(f.plan.Rollouts()) == 0 {
		return
	}
	delete(f.staging.seen, cluster)
	r.add(stageEntry(f.key), stagePace)
}

// course is one decision about the rollouts of a federation: it is made, written down, and then acted on.
type course struct {
	plan     *propagate.Plan
	revision string
	outcomes map[string]stage.Outcome // by name of the rollout
	// turns by cluster and rollout.
	turns map[string]map[string]propagate.StageAssignment
	// changed are the clusters that get something new: what is remembered of them is written before they are.
	changed []string
	again   time.Time
}

// stage decides about the rollouts of a federation and acts on it. What leads to a write on a member is on the hub before:
// a process that takes over at any point goes on from there.
func (e *engine) stage(ctx context.Context, f *federation) error {
	c, ok := e.decideStages(f, time.Now().UTC().Truncate(time.Microsecond))
	if !ok {
		return nil
	}
	if err := e.rememberStages(ctx, f, c); err != nil {
		return err
	}
	e.giveBack(ctx, f, &c)
	e.act(f, c)
	e.reporter.wrote(stageEntry(f.key))
	if !c.again.IsZero() {
		e.reporter.queue.AddAfter(stageEntry(f.key), time.Until(c.again)+gather)
	}
	return nil
}

// decideStages is false when there is nothing to decide: no rollout, or a plan that is still being announced.
func (e *engine) decideStages(f *federation, now time.Time) (course, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan == nil || !f.announced || len(f.plan.Rollouts()) == 0 {
		return course{}, false
	}
	c := course{plan: f.plan, revision: f.revision, outcomes: map[string]stage.Outcome{}, turns: map[string]map[string]propagate.StageAssignment{}}
	e.lookAtClusters(f)
	for _, r := range f.plan.Rollouts() {
		in := e.stageInput(f, r, now)
		if len(in.Clusters) == 0 {
			continue
		}
		c.take(r.Name(), stage.Decide(in))
	}
	if probed := f.staging.began.Add(lostGrace); now.Before(probed) {
		c.lookAgain(probed) // by then a cluster that does not answer counts as not heard from
	}
	return c, true
}

// take adds a decision about one rollout.
func (c *course) take(name string, o stage.Outcome) {
	c.outcomes[name] = o
	c.lookAgain(o.RequeueAt)
	for _, d := range o.Decisions {
		if c.turns[d.Cluster] == nil {
			c.turns[d.Cluster] = map[string]propagate.StageAssignment{}
		}
		c.turns[d.Cluster][name] = propagate.StageAssignment{Held: d.Held}
		if d.Changed && !slices.Contains(c.changed, d.Cluster) {
			c.changed = append(c.changed, d.Cluster)
		}
	}
}

func (c *course) lookAgain(at time.Time) {
	if !at.IsZero() && (c.again.IsZero() || at.Before(c.again)) {
		c.again = at
	}
}

// act puts a decision in force that is written down, unless another plan is in force by now.
func (e *engine) act(f *federation, c course) {
	f.mu.Lock()
	if f.plan != c.plan {
		f.mu.Unlock()
		return
	}
	s := &f.staging
	s.states = map[string]stage.State{}
	for name, o := range c.outcomes {
		s.states[name] = o.State
	}
	var moved []string
	for _, cluster := range f.clusters() {
		if before := s.turns[cluster]; maps.Equal(before, c.turns[cluster]) {
			continue
		}
		e.turn(f, f.legs[cluster], c.turns[cluster])
		moved = append(moved, cluster)
	}
	before := s.told
	s.told = c.tell()
	if !equality.Semantic.DeepEqual(before, s.told) {
		e.reporter.add(entry{federation: f.key}, releasePace)
	}
	about := f.release.DeepCopy()
	f.mu.Unlock()
	e.tellStages(about, c)
	for _, cluster := range moved {
		e.reporter.cluster(f, cluster)
	}
}

// turn gives a cluster its turns; what is under way there is interrupted only if something else is to be done. The caller
// holds f.mu.
func (e *engine) turn(f *federation, l *leg, turns map[string]propagate.StageAssignment) {
	same := maps.EqualFunc(f.staging.turns[l.cluster], turns, func(a, b propagate.StageAssignment) bool {
		return (a.Held == "") == (b.Held == "") && a.RollbackTo == b.RollbackTo
	})
	f.staging.turns[l.cluster] = turns
	if same {
		f.retext(l)
		return
	}
	delete(f.staging.seen, l.cluster)
	f.stage(l)
	if b := e.bulkhead(l.cluster); b != nil {
		b.enqueue(f.key)
	}
}

// byPolicy sorts what is told of rollouts.
func byPolicy[T any](list []T, name func(T) string) []T {
	slices.SortFunc(list, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return list
}
