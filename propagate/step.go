package propagate

import (
	"maps"
	"reflect"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/normalize"
	"github.com/accord-dev/accord/render"
)

// A step changes at most so many objects, or one of so many: beyond it, deciding about all of them takes no longer.
const stepObjects, stepShare = 64, 8

// step returns the plan after p for an input in which a few objects have another content and nothing else differs that decides.
// It decides about these objects only, and shares everything else with p. It returns nil where the decision about another object could
// change, and for a mistake: the caller then decides about everything. p may be nil.
func (p *Plan) step(in Input) *Plan {
	if p == nil || !p.continues(in) {
		return nil
	}
	changed := p.changedSlots(in)
	if changed == nil {
		return nil
	}
	next := &Plan{
		members: newMembers(in), scopes: p.scopes, order: p.order, relations: p.relations, needsRoom: p.needsRoom,
		lineage: newLineage(p), control: control.Digest(in.Control()),
	}
	var err error
	if next.rules, err = newRules(in, next.members.all, p); err != nil || len(in.duplicates()) > 0 {
		return nil
	}
	earlier := next.reusable(p)
	if !earlier.sameEverywhere() || !maps.Equal(p.members.holds, next.members.holds) {
		return nil
	}
	next.rules.overrides = p.rules.overrides
	next.rollouts = next.newRollouts(in.Rollouts)
	next.Decisions = slices.Clone(p.Decisions)
	next.items = items{
		slots: slices.Clone(p.items.slots), index: p.items.index, all: slices.Clone(p.items.all), byCluster: slices.Clone(p.items.byCluster),
	}
	if !next.redo(in, changed, earlier) {
		return nil
	}
	next.inherit(p, changed)
	next.lineage.step = true
	return next
}

// continues reports whether an input has as many objects as the plan was made from, and the outcome of the plan.
func (p *Plan) continues(in Input) bool {
	if len(in.Objects) != len(p.order) || len(in.Previous) != len(p.Decisions) || len(in.Previous) == 0 || !p.outcome.once.Done() {
		return false
	}
	return &in.Previous[0] == &p.outcome.list[0]
}

// sameEverywhere reports whether an unchanged object gets the same decision and is rendered in the same way: all policies, overrides
// and clusters are equal.
func (e *earlierPlan) sameEverywhere() bool {
	if !e.sameDecisions {
		return false
	}
	for i, was := range e.matching {
		if was != i {
			return false
		}
	}
	return true
}

// changedSlots returns the slots of the objects to decide about, with their index in in.Objects: those with another manifest or place,
// and those whose last decision was not yet settled. It returns nil if they are too many.
func (p *Plan) changedSlots(in Input) map[int]int {
	most := max(stepObjects, len(in.Objects)/stepShare)
	if len(p.outcome.unsettled) > most {
		return nil
	}
	unsettled := make(map[int]bool, len(p.outcome.unsettled))
	for _, slot := range p.outcome.unsettled {
		unsettled[slot] = true
	}
	changed := map[int]int{}
	for i, slot := range p.order {
		it := p.items.slots[slot]
		if it.source != in.Objects[i].Manifest || it.decision.Origin != in.Objects[i].Origin || unsettled[slot] {
			if changed[slot] = i; len(changed) > most {
				return nil
			}
		}
	}
	return changed
}

// redo decides about the changed objects. It reports false if the decision about another object could change.
func (p *Plan) redo(in Input, changed map[int]int, earlier *earlierPlan) bool {
	slots := slices.Sorted(maps.Keys(changed))
	for _, slot := range slots {
		was := earlier.items.slots[slot]
		it := p.decide(in.Objects[changed[slot]], was, earlier)
		if it == nil || !it.concernsNobody(was) {
			return false
		}
		p.items.slots[slot], p.items.all[was.at], p.Decisions[slot] = it, it, it.decision
	}
	for _, slot := range slots {
		it, was := p.items.slots[slot], earlier.items.slots[slot]
		owners := p.owners(it.decision.ID)
		for _, owner := range owners {
			if len(p.relations.dependents[owner.decision.ID]) > 0 {
				return false // its own clusters may come from others
			}
		}
		if len(owners) > 0 {
			it.addClustersOf(owners)
		}
		if !sameTargets(was.decision.Chosen, it.decision.Chosen) {
			return false
		}
		it.overwrite = it.takesOver()
		if !p.reuseResults(it, earlier) {
			p.lineage.changed[it.decision.ID] = true
		}
		it.earlier = nil
		p.replace(it, earlier)
	}
	return true
}

// decide returns a new item for an object, with the decision of its own policy. It returns nil for a mistake, another ID and kinds that
// decide about other objects.
func (p *Plan) decide(o render.Object, was *item, earlier *earlierPlan) *item {
	last := earlier.outcome.list[was.slot]
	normal, _ := normalize.Objects([]render.Object{o}, p.scopes, normalize.Before{
		Decided: func(id manifest.ID) bool { return id == last.ID }, Moved: earlier.moved,
	})
	x := normal[0]
	if x.ID != was.decision.ID {
		return nil
	}
	switch {
	case x.ID.GroupKind() == manifest.DefinitionKind, x.ID.GroupKind() == namespaceKind, isAutoscaler(x.ID):
		return nil
	}
	it, mistakes := p.newItem(x, &Decision{}, last, earlier)
	if len(mistakes) > 0 {
		return nil
	}
	it.slot, it.at, it.preserve = was.slot, was.at, was.preserve
	p.choose(it)
	it.ownDecision, it.decided = *it.decision, true
	return it
}

// concernsNobody reports whether no decision about another object depends on the difference between two items of one object.
func (it *item) concernsNobody(was *item) bool {
	a, b := &was.ownDecision, &it.ownDecision
	together, apart := it.groups()
	inGroup, inOther := was.groups()
	return together+apart+inGroup+inOther == "" && a.Policy == b.Policy && a.GVK == b.GVK && was.needsRoom == it.needsRoom &&
		a.Overwrite == b.Overwrite && a.Preserve == b.Preserve && a.Dependencies == b.Dependencies && sameTargets(a.Chosen, b.Chosen) &&
		maps.Equal(was.manifest.GetLabels(), it.manifest.GetLabels()) && it.generated() == was.generated() && it.sameReferences(was)
}

// sameReferences reports whether two items of one object need the same objects.
func (it *item) sameReferences(was *item) bool {
	if it.kind.Dependencies == nil {
		return true
	}
	return reflect.DeepEqual(it.kind.Dependencies(it.manifest), was.kind.Dependencies(was.manifest))
}

// sameTargets reports whether two lists have the same clusters, with the same holds. Replicas do not count.
func sameTargets(a, b []Choice) bool {
	return slices.EqualFunc(a, b, func(x, y Choice) bool {
		return x.Cluster == y.Cluster && x.Held == y.Held && x.Implied == y.Implied && reflect.DeepEqual(x.RequiredBy, y.RequiredBy)
	})
}

// replace puts an item into the lists of its clusters.
func (p *Plan) replace(it *item, earlier *earlierPlan) {
	for i := range it.decision.Chosen {
		choice := &it.decision.Chosen[i]
		cluster := p.members.index[choice.Cluster]
		t := p.items.byCluster[cluster]
		at, _ := slices.BinarySearchFunc(t.items, it, func(a assigned, it *item) int {
			return applyorder.Compare(a.item.decision.ID, it.decision.ID)
		})
		if t == earlier.items.byCluster[cluster] {
			t = t.next()
			p.items.byCluster[cluster] = t
		}
		t.items[at], t.changed = assigned{it, choice}, append(t.changed, at)
	}
}

// next returns a copy for the plan that follows, to be changed.
func (t *clusterItems) next() *clusterItems {
	n := &clusterItems{items: slices.Clone(t.items)}
	if t.once.Done() && len(t.plan.Failed) == 0 {
		n.base = &clusterItems{plan: t.plan, digest: t.digest}
	}
	return n
}

// inherit takes over the digest and the outcome of the plan before, except for the changed objects.
func (p *Plan) inherit(before *Plan, changed map[int]int) {
	if before.digest.once.Done() {
		var places []int
		for slot := range changed {
			places = append(places, p.items.slots[slot].at)
		}
		p.digest.of = before.digest.of.Without(places)
	}
	p.outcome.once.Do(func() {
		p.outcome.list = slices.Clone(before.outcome.list)
		for _, slot := range slices.Sorted(maps.Keys(changed)) {
			p.settle(slot)
		}
	})
}
