// Package staged joins the plan of a cluster with the decisions of its staged rollouts.
package staged

import (
	"iter"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyorder"
)

// Assignment is the decision of a rollout about one cluster.
type Assignment struct {
	// Held is the reason why the cluster does not get the new objects; empty when it does.
	Held string
	// RollbackTo is the older plan whose objects of the rollout the cluster gets; nil when it gets the new ones or is
	// held.
	RollbackTo *propagate.Plan
	// Moved is the plan with the version of the objects that evictions bring to a cluster before its turn; nil if they wait, too.
	Moved *propagate.Plan
	// Keeps is set when RollbackTo has the version that a waiting cluster keeps: its objects are repaired and nothing is
	// deleted.
	Keeps bool
}

// Undecided is the reason of a rollout without an Assignment.
const Undecided = "nobody decided yet whether it is its turn"

// Plan is the plan of one cluster as far as the stages of its rollouts allow: the objects it gets and keeps now.
type Plan struct {
	whole       *propagate.Plan
	cluster     string
	assignments map[string]Assignment
	rolloutOf   map[manifest.ID]string
	// heldNamespaces are the namespaces in which a rollout holds an object, with the reason.
	heldNamespaces map[string]string
	// evicted are the old copies that an eviction deletes, moved the objects that evictions bring before the turn of the cluster.
	evicted map[manifest.ID]bool
	moved   map[manifest.ID]propagate.Placed
}

// New joins the plan of a cluster with the assignments of its rollouts, by Rollout.Name; a missing one is Undecided.
// live are the objects on the cluster, with their labels. rolloutOf names the rollout of dependencies, as recorded by
// the plan that placed them: no RolloutPolicy claims a dependency that left Git.
func New(whole *propagate.Plan, cluster string, assignments map[string]Assignment, rolloutOf map[manifest.ID]string, live iter.Seq2[manifest.ID, map[string]string]) *Plan {
	p := &Plan{whole: whole, cluster: cluster, assignments: assignments, rolloutOf: rolloutOf, heldNamespaces: map[string]string{}}
	if len(whole.Evictions()) > 0 {
		p.evicted, p.moved = map[manifest.ID]bool{}, map[manifest.ID]propagate.Placed{}
		for _, id := range whole.Evicted(cluster) {
			p.evicted[id] = true
		}
		p.findMoved()
	}
	target := whole.ForCluster(cluster)
	for _, o := range target.Objects {
		p.noteHeldNamespace(o.ID, nil)
	}
	for _, f := range target.Failed {
		p.noteHeldNamespace(f.ID, nil)
	}
	for id, labels := range live {
		p.noteHeldNamespace(id, labels)
	}
	return p
}

func (p *Plan) noteHeldNamespace(id manifest.ID, labels map[string]string) {
	if turn, moves := p.assignment(id, labels); moves && turn.keepsCluster() && p.heldNamespaces[id.Namespace] == "" {
		p.heldNamespaces[id.Namespace] = turn.Held
	}
}

// keepsCluster reports whether the rollout holds its objects on the cluster.
func (t Assignment) keepsCluster() bool { return t.Held != "" && (t.RollbackTo == nil || t.Keeps) }

// assignment returns the assignment of the rollout that stages an object; false when the object changes at once.
func (p *Plan) assignment(id manifest.ID, labels map[string]string) (Assignment, bool) {
	name := ""
	if r := p.whole.Rollout(p.cluster, id, labels); r != nil {
		name = r.Name()
	} else if name = p.rolloutOf[id]; name == "" || p.whole.PlacedOn(p.cluster, id) {
		return Assignment{}, false
	}
	turn, known := p.assignments[name]
	if !known && p.rolloutNamed(name) != nil {
		turn.Held = Undecided
	}
	return turn, true
}

// rolloutNamed returns nil when the RolloutPolicy no longer exists: nothing waits for it then.
func (p *Plan) rolloutNamed(name string) *propagate.Rollout {
	i := slices.IndexFunc(p.whole.Rollouts(), func(r *propagate.Rollout) bool { return r.Name() == name })
	if i < 0 {
		return nil
	}
	return p.whole.Rollouts()[i]
}

// ClusterPlan returns the objects that the cluster gets now.
func (p *Plan) ClusterPlan() propagate.ClusterPlan {
	whole := p.whole.ForCluster(p.cluster)
	next := propagate.ClusterPlan{Cluster: p.cluster, Objects: make([]propagate.Placed, 0, len(whole.Objects))}
	for _, o := range p.moved {
		next.Objects = append(next.Objects, o)
	}
	for _, o := range whole.Objects {
		turn, moves := p.assignment(o.ID, nil)
		if p.IsMoved(o.ID) || moves && turn.RollbackTo != nil {
			continue
		} else if moves {
			o.Held = phrase.Reasons(o.Held, turn.Held)
		}
		next.Objects = append(next.Objects, o)
	}
	for _, f := range whole.Failed {
		turn, moves := p.assignment(f.ID, nil)
		if p.IsMoved(f.ID) || moves && turn.RollbackTo != nil {
			continue
		} else if moves {
			f.Held = phrase.Reasons(f.Held, turn.Held)
		}
		next.Failed = append(next.Failed, f)
	}
	for _, name := range p.rollbacks() {
		p.addRollback(&next, name)
	}
	next.Objects = dropEmptyNamespaces(next)
	slices.SortStableFunc(next.Objects, func(a, b propagate.Placed) int { return applyorder.Compare(a.ID, b.ID) })
	return next
}

// rollbacks returns the names of the rollouts that roll back, sorted.
func (p *Plan) rollbacks() []string {
	var names []string
	for name, turn := range p.assignments {
		if turn.RollbackTo != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// addRollback adds the older objects of a rollout, with their namespaces. A hold of people or policies still applies.
func (p *Plan) addRollback(next *propagate.ClusterPlan, name string) {
	old := p.assignments[name].RollbackTo
	there := map[manifest.ID]bool{}
	for _, o := range next.Objects {
		there[o.ID] = true
	}
	for _, o := range old.ForCluster(p.cluster).Objects {
		r := old.Rollout(p.cluster, o.ID, nil)
		if there[o.ID] || p.leaves(o.ID) || !o.Implied && (r == nil || r.Name() != name) {
			continue
		}
		o.Held = p.whole.HeldOn(p.cluster, o.ID)
		next.Objects = append(next.Objects, o)
	}
}

// dropEmptyNamespaces drops implied Namespaces without any object left, and holds those whose objects are all held.
func dropEmptyNamespaces(t propagate.ClusterPlan) []propagate.Placed {
	held, free := map[string]string{}, map[string]bool{}
	for _, o := range t.Objects {
		if held[o.ID.Namespace] = o.Held; o.Held == "" {
			free[o.ID.Namespace] = true
		}
	}
	for _, f := range t.Failed {
		if held[f.ID.Namespace] = f.Held; f.Held == "" {
			free[f.ID.Namespace] = true
		}
	}
	var kept []propagate.Placed
	for _, o := range t.Objects {
		if why, needed := held[o.ID.Name]; o.Implied && !free[o.ID.Name] {
			if !needed {
				continue
			}
			o.Held = phrase.Reasons(o.Held, why)
		}
		kept = append(kept, o)
	}
	return kept
}

// KeepReason returns the reason why accord must not prune an object that the cluster still has and ClusterPlan does not
// list; empty if it may. Beside the objects of propagate.Plan.KeepReason accord keeps
//   - an object while its rollout holds the cluster;
//   - an object of unknown rollout, while a rollout holds an object in its namespace, which may need it;
//   - a Namespace, while a rollout holds an object in it.
//
// An old copy that an eviction deletes does not wait for a stage.
func (p *Plan) KeepReason(id manifest.ID, labels map[string]string) string {
	if why := p.whole.KeepReason(p.cluster, id, labels); why != "" {
		return why
	}
	if p.evicted[id] {
		return ""
	}
	if turn, moves := p.assignment(id, labels); moves {
		if turn.keepsCluster() {
			return turn.Held
		}
		return ""
	}
	namespace := id.Namespace
	if id.Group == "" && id.Kind == "Namespace" {
		namespace = id.Name
	}
	if why := p.heldNamespaces[namespace]; why != "" && namespace != "" {
		return "what is held in namespace " + namespace + " may need it: " + why
	}
	return ""
}

// RolloutOf returns the name of the rollout that stages an object on the cluster; empty when the object changes at
// once, or an eviction moves it.
func (p *Plan) RolloutOf(id manifest.ID, labels map[string]string) string {
	if p.IsMoved(id) || p.leaves(id) {
		return ""
	}
	if r := p.whole.Rollout(p.cluster, id, labels); r != nil {
		return r.Name()
	}
	if name := p.rolloutOf[id]; name != "" && !p.whole.PlacedOn(p.cluster, id) && p.rolloutNamed(name) != nil {
		return name
	}
	return ""
}
