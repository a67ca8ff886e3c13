package delivery

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/propagate/splice"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/status"
)

// Adopt makes the objects of a plan the wanted ones, and cancels the delivery under way.
func (l *State) Adopt(target propagate.ClusterPlan) {
	l.Cancel()
	last := l.Target
	l.TargetKinds() // which adoptChanges takes over
	l.Target = target
	l.Run = status.Run{}
	l.clearErrors()
	if l.planned || !l.adoptChanges(last, target) {
		l.adoptAll(target)
	}
	for _, kind := range l.TargetKinds() {
		l.Listed = l.Listed && l.Kinds[kind.GroupKind()]
	}
}

// AdoptHeld takes over why objects are held from a plan that differs from the target in nothing else.
func (l *State) AdoptHeld(target propagate.ClusterPlan) {
	l.Target = target
	for _, p := range target.Objects {
		w := l.Wants.Of(p.ID)
		w.Held = p.Held
		l.Want(p.ID, w)
	}
	for _, x := range target.Failed {
		w := l.Wants.Of(x.ID)
		w.Held = x.Held
		l.Want(x.ID, w)
	}
}

// adoptAll replaces all wants.
func (l *State) adoptAll(target propagate.ClusterPlan) {
	clear(l.Wants)
	l.touchAll()
	l.planned = false
	for _, p := range target.Objects {
		l.wantPlaced(p)
	}
	for _, x := range target.Failed {
		l.Want(x.ID, wanted.Object{Held: x.Held, Err: x.Err.Error()})
	}
}

func (l *State) wantPlaced(p propagate.Placed) {
	l.Want(p.ID, wanted.Object{Digest: p.Digest, Held: p.Held, Object: p.Rendered, Implied: p.Implied})
}

// adoptChanges replaces the wants that differ between two targets. It returns false, and changes nothing, if one of them is not in
// apply order, or has objects that cannot be rendered.
func (l *State) adoptChanges(last, target propagate.ClusterPlan) bool {
	if sameIDs(last, target) {
		sameKinds := true
		for i, p := range target.Objects {
			if was := last.Objects[i]; was != p {
				l.wantPlaced(p)
				sameKinds = sameKinds && was.GVK == p.GVK
			}
		}
		if sameKinds {
			l.listedKinds.of = target.Objects
		}
		return true
	}
	if len(last.Failed)+len(target.Failed) > 0 || !inOrder(last) || !inOrder(target) {
		return false
	}
	for was, now := range splice.Pairs(last.Objects, target.Objects, inApplyOrder) {
		switch {
		case now.Rendered == nil:
			l.Wants.Delete(was.ID)
			l.touch(was.ID)
		case was != now:
			l.wantPlaced(now)
		}
	}
	return true
}

// inApplyOrder compares two objects in apply order.
func inApplyOrder(a, b propagate.Placed) int {
	if a.Rendered == b.Rendered {
		return 0
	}
	return applyorder.Compare(a.ID, b.ID)
}

// sameIDs reports whether two plans have the same objects, maybe with another content, and nothing that cannot be rendered.
func sameIDs(a, b propagate.ClusterPlan) bool {
	return len(a.Failed)+len(b.Failed) == 0 && (sameList(a.Objects, b.Objects) || slices.EqualFunc(a.Objects, b.Objects, func(x, y propagate.Placed) bool {
		return x.Rendered == y.Rendered || x.ID == y.ID
	}))
}

// sameList reports whether two lists are one: nobody changes the objects of a plan.
func sameList(a, b []propagate.Placed) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// inOrder reports whether a plan is in apply order.
func inOrder(plan propagate.ClusterPlan) bool {
	return slices.IsSortedFunc(plan.Objects, func(a, b propagate.Placed) int { return applyorder.Compare(a.ID, b.ID) })
}

// position returns the index of an object in a plan in apply order; false if the plan does not have it.
func position(plan propagate.ClusterPlan, id manifest.ID) (int, bool) {
	return slices.BinarySearchFunc(plan.Objects, id, func(p propagate.Placed, id manifest.ID) int { return applyorder.Compare(p.ID, id) })
}

// NotePlanned records the wanted objects of a plan where a rollback delivers an older version: status is computed from the plan. turns are
// those of the cluster, by rollout.
func (l *State) NotePlanned(plan *propagate.Plan, turns map[string]staged.Assignment, s *staged.Plan) {
	for name, turn := range turns {
		if turn.RollbackTo == nil {
			continue
		}
		for _, p := range l.Target.Objects {
			if r := turn.RollbackTo.Rollout(l.Name, p.ID, nil); r != nil && r.Name() == name && !s.IsMoved(p.ID) {
				l.PlannedAs(p.ID, wanted.Object{Held: turn.Held})
			}
		}
		whole := plan.ForCluster(l.Name)
		for _, p := range whole.Objects {
			if r := plan.Rollout(l.Name, p.ID, nil); r != nil && r.Name() == name && !s.IsMoved(p.ID) {
				l.PlannedAs(p.ID, wanted.Object{Digest: p.Digest, Held: turn.Held, Object: p.Rendered, Implied: p.Implied})
			}
		}
		for _, x := range whole.Failed {
			if r := plan.Rollout(l.Name, x.ID, nil); r != nil && r.Name() == name && !s.IsMoved(x.ID) {
				l.PlannedAs(x.ID, wanted.Object{Held: turn.Held, Err: x.Err.Error()})
			}
		}
	}
}
