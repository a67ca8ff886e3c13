package propagate

import (
	"iter"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
)

// StageAssignment is what the stages of a rollout say of one cluster.
type StageAssignment struct {
	// Held is why the cluster does not get what is wanted; empty when it does.
	Held string
	// RollbackTo is the older plan of which it gets the objects of the rollout, after a rollback; nil when hands are off.
	RollbackTo *Plan
}

// UndecidedStage is the Turn of a rollout that no Turn is known of.
const UndecidedStage = "nobody decided yet whether it is its turn"

// StagedPlan is what one cluster gets now, and what stays there: what it should have, as far as the stages of rollouts go.
type StagedPlan struct {
	plan        *Plan
	cluster     string
	assignments map[string]StageAssignment
	rolloutOf   map[manifest.ID]string
	// heldNamespaces are the namespaces in which a rollout keeps its hands off something, with the reason.
	heldNamespaces map[string]string
}

// Stage joins the plan for a cluster with the turns of its rollouts, by Rollout.Name; one that is missing is Undecided. live are the
// objects that are there, with their labels. along are those that are there for the sake of an object of a rollout, by
// its name, as the plan says with which they came: what left Git is claimed by nobody any more.
func (p *Plan) Stage(cluster string, turns map[string]StageAssignment, along map[manifest.ID]string, live iter.Seq2[manifest.ID, map[string]string]) StagedPlan {
	s := StagedPlan{plan: p, cluster: cluster, assignments: turns, rolloutOf: along, heldNamespaces: map[string]string{}}
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

// keepsCluster says that hands are off.
func (t StageAssignment) keepsCluster() bool { return t.Held != "" && t.RollbackTo == nil }

// assignment of what an object moves by.
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

// placedOn says that the object goes to a cluster.
func (p *Plan) placedOn(cluster string, id manifest.ID) bool {
	it, known := p.byID[id]
	return known && it.on(cluster)
}

// rolloutNamed is nil when there is no RolloutPolicy of this name any more: then nothing waits for it.
func (p *Plan) rolloutNamed(name string) *Rollout {
	i := slices.IndexFunc(p.Rollouts(), func(r *Rollout) bool { return r.Name() == name })
	if i < 0 {
		return nil
	}
	return p.Rollouts()[i]
}

// ClusterPlan is what the cluster gets now.
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

// rollbacks are the names of the rollouts that give something back, sorted.
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

// addRollback adds what a rollout gives back, with the namespaces for it. What people hold stays held.
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

// dropEmptyNamespaces leaves out the Namespaces that are only there for objects of which none is left, and holds those of which all
// objects are held: nobody would need them yet.
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

// KeepReason says why an object that the cluster still has and Target does not list must stay there; empty when it may go.
// Beside what Plan.Withdraw says it stays
//   - while its rollout keeps its hands off the cluster;
//   - when nothing says what it moved with, while a rollout keeps its hands off something in its namespace, which may need it;
//   - a Namespace, while a rollout keeps its hands off something in it.
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

// RolloutOf is the name of the rollout that an object on the cluster moves by; empty when it changes at once.
func (s *StagedPlan) RolloutOf(id manifest.ID, labels map[string]string) string {
	if r := s.plan.Rollout(s.cluster, id, labels); r != nil {
		return r.Name()
	}
	if name := s.rolloutOf[id]; name != "" && !s.plan.placedOn(s.cluster, id) && s.plan.rolloutNamed(name) != nil {
		return name
	}
	return ""
}
