package propagate

import (
	"iter"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
)

// StageAssignment is the decision of a rollout about one cluster.
type StageAssignment struct {
	// Held is the reason why the cluster does not get the new objects; empty when it does.
	Held string
	// RollbackTo is the older plan whose objects of the rollout the cluster gets; nil when it gets the new ones or is
	// held.
	RollbackTo *Plan
}

// UndecidedStage is the reason of a rollout without a StageAssignment.
const UndecidedStage = "nobody decided yet whether it is its turn"

// StagedPlan is the plan of one cluster as far as the stages of its rollouts allow: the objects it gets and keeps now.
type StagedPlan struct {
	plan        *Plan
	cluster     string
	assignments map[string]StageAssignment
	rolloutOf   map[manifest.ID]string
	// heldNamespaces are the namespaces in which a rollout holds an object, with the reason.
	heldNamespaces map[string]string
}

// Stage joins the plan of a cluster with the assignments of its rollouts, by Rollout.Name; a missing one is
// UndecidedStage. live are the objects on the cluster, with their labels. rolloutOf names the rollout of dependencies,
// as recorded by the plan that placed them: no RolloutPolicy claims a dependency that left Git.
func (p *Plan) Stage(cluster string, assignments map[string]StageAssignment, rolloutOf map[manifest.ID]string, live iter.Seq2[manifest.ID, map[string]string]) StagedPlan {
	s := StagedPlan{plan: p, cluster: cluster, assignments: assignments, rolloutOf: rolloutOf, heldNamespaces: map[string]string{}}
	target := p.ForCluster(cluster)
	for _, o := range target.Objects {
		s.noteHeldNamespace(o.ID, nil)
	}
	for _, f := range target.Failed {
		s.noteHeldNamespace(f.ID, nil)
	}
	for id, labels := range live {
		s.noteHeldNamespace(id, labels)
	}
	return s
}

func (s *StagedPlan) noteHeldNamespace(id manifest.ID, labels map[string]string) {
	if turn, moves := s.assignment(id, labels); moves && turn.keepsCluster() && s.heldNamespaces[id.Namespace] == "" {
		s.heldNamespaces[id.Namespace] = turn.Held
	}
}

// keepsCluster reports whether the rollout holds its objects on the cluster.
func (t StageAssignment) keepsCluster() bool { return t.Held != "" && t.RollbackTo == nil }

// assignment returns the assignment of the rollout that stages an object; false when the object changes at once.
func (s *StagedPlan) assignment(id manifest.ID, labels map[string]string) (StageAssignment, bool) {
	name := ""
	if r := s.plan.Rollout(s.cluster, id, labels); r != nil {
		name = r.Name()
	} else if name = s.rolloutOf[id]; name == "" || s.plan.placedOn(s.cluster, id) {
		return StageAssignment{}, false
	}
	turn, known := s.assignments[name]
	if !known && s.plan.rolloutNamed(name) != nil {
		turn.Held = UndecidedStage
	}
	return turn, true
}

// placedOn reports whether the object goes to a cluster.
func (p *Plan) placedOn(cluster string, id manifest.ID) bool {
	it, known := p.byID[id]
	return known && it.on(cluster)
}

// rolloutNamed returns nil when the RolloutPolicy no longer exists: nothing waits for it then.
func (p *Plan) rolloutNamed(name string) *Rollout {
	i := slices.IndexFunc(p.Rollouts(), func(r *Rollout) bool { return r.Name() == name })
	if i < 0 {
		return nil
	}
	return p.Rollouts()[i]
}

// ClusterPlan returns the objects that the cluster gets now.
func (s *StagedPlan) ClusterPlan() ClusterPlan {
	whole := s.plan.ForCluster(s.cluster)
	next := ClusterPlan{Cluster: s.cluster, Objects: make([]Placed, 0, len(whole.Objects))}
	for _, o := range whole.Objects {
		turn, moves := s.assignment(o.ID, nil)
		if moves && turn.RollbackTo != nil {
			continue
		} else if moves {
			o.Held = joinReasons(o.Held, turn.Held)
		}
		next.Objects = append(next.Objects, o)
	}
	for _, f := range whole.Failed {
		turn, moves := s.assignment(f.ID, nil)
		if moves && turn.RollbackTo != nil {
			continue
		} else if moves {
			f.Held = joinReasons(f.Held, turn.Held)
		}
		next.Failed = append(next.Failed, f)
	}
	for _, name := range s.rollbacks() {
		s.addRollback(&next, name)
	}
	next.Objects = dropEmptyNamespaces(next)
	slices.SortStableFunc(next.Objects, func(a, b Placed) int { return byApplyOrder(a.ID, b.ID) })
	return next
}

// rollbacks returns the names of the rollouts that roll back, sorted.
func (s *StagedPlan) rollbacks() []string {
	var names []string
	for name, turn := range s.assignments {
		if turn.RollbackTo != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// addRollback adds the older objects of a rollout, with their namespaces. A hold of people or policies still applies.
func (s *StagedPlan) addRollback(next *ClusterPlan, name string) {
	old := s.assignments[name].RollbackTo
	there := map[manifest.ID]bool{}
	for _, o := range next.Objects {
		there[o.ID] = true
	}
	for _, o := range old.ForCluster(s.cluster).Objects {
		r := old.Rollout(s.cluster, o.ID, nil)
		if there[o.ID] || !o.Implied && (r == nil || r.Name() != name) {
			continue
		}
		o.Held = s.plan.Hold(s.cluster)
		if it, known := s.plan.byID[o.ID]; known {
			o.Held = joinReasons(suspension(it.decision.Policy, s.cluster), o.Held)
		}
		next.Objects = append(next.Objects, o)
	}
}

// dropEmptyNamespaces drops implied Namespaces without any object left, and holds those whose objects are all held.
func dropEmptyNamespaces(t ClusterPlan) []Placed {
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
	var kept []Placed
	for _, o := range t.Objects {
		if why, needed := held[o.ID.Name]; o.Implied && !free[o.ID.Name] {
			if !needed {
				continue
			}
			o.Held = joinReasons(o.Held, why)
		}
		kept = append(kept, o)
	}
	return kept
}

// KeepReason returns the reason why accord must not prune an object that the cluster still has and ClusterPlan does not
// list; empty if it may. Beside the objects of Plan.KeepReason accord keeps
//   - an object while its rollout holds the cluster;
//   - an object of unknown rollout, while a rollout holds an object in its namespace, which may need it;
//   - a Namespace, while a rollout holds an object in it.
func (s *StagedPlan) KeepReason(id manifest.ID, labels map[string]string) string {
	if why := s.plan.KeepReason(s.cluster, id, labels); why != "" {
		return why
	}
	if turn, moves := s.assignment(id, labels); moves {
		if turn.keepsCluster() {
			return turn.Held
		}
		return ""
	}
	namespace := id.Namespace
	if id.GroupKind() == namespaceKind {
		namespace = id.Name
	}
	if why := s.heldNamespaces[namespace]; why != "" && namespace != "" {
		return "what is held in namespace " + namespace + " may need it: " + why
	}
	return ""
}

// RolloutOf returns the name of the rollout that stages an object on the cluster; empty when the object changes at
// once.
func (s *StagedPlan) RolloutOf(id manifest.ID, labels map[string]string) string {
	if r := s.plan.Rollout(s.cluster, id, labels); r != nil {
		return r.Name()
	}
	if name := s.rolloutOf[id]; name != "" && !s.plan.placedOn(s.cluster, id) && s.plan.rolloutNamed(name) != nil {
		return name
	}
	return ""
}
