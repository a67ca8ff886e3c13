package propagate

import (
	"maps"
	"reflect"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/applyorder"
	"github.com/accord-dev/accord/propagate/autoscaler"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/deschedule"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/member"
	"github.com/accord-dev/accord/propagate/normalize"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/propagate/splice"
	"github.com/accord-dev/accord/render"
)

// A step decides about at most so many objects, or one of so many: beyond it, deciding about all of them takes no longer.
const stepObjects, stepShare = 64, 8

// step makes the plan after another one by deciding about a few objects.
type step struct {
	*Plan
	earlier *earlierPlan
	edits   edits
	// apart is set when each object keeps what other objects depend on: its clusters, labels, references and policy.
	apart   bool
	out, in []*item // the items that leave the plan, and those that it gets
}

// step returns the plan after p for an input in which little differs. It decides about the objects that changed, and those that changed
// policies and overrides select, and about their namespaces. It shares everything else with p. It returns nil where it cannot exclude that
// the decision about another object changes, and for a mistake: the caller then decides about everything. p may be nil.
func (p *Plan) step(in Input) *Plan {
	if p == nil || !p.continues(in) {
		return nil
	}
	next := &Plan{
		members: member.New(in.Fleet, in.TaintPolicies, in.Now), scopes: p.scopes, relations: p.relations, needsRoom: p.needsRoom,
		lineage: newLineage(p), control: control.Digest(in.Control()),
		evictions: in.Evictions, unschedulable: deschedule.Sorted(in.Unschedulable), texts: in.Texts, Recoveries: in.Recoveries,
	}
	edits := p.compare(in)
	if edits == nil {
		return nil
	}
	var err error
	if next.rules, err = newRules(in, next.members.All, p); err != nil || len(in.duplicates(next.rules, p)) > 0 {
		return nil
	}
	s := &step{Plan: next, earlier: next.reusable(p), edits: *edits}
	if !s.earlier.sameSettings || !maps.Equal(p.members.Holds, next.members.Holds) || !s.include(p.selectedBy(s.earlier, &next.rules)) {
		return nil
	}
	next.rollouts = next.newRollouts(in.Rollouts)
	if !s.decide() || !s.attach() {
		return nil
	}
	if !s.apart {
		s.implyNamespaces()
	}
	s.finish()
	next.lineage.step, next.lineage.apart = true, s.apart
	return next
}

// continues reports whether an input has the outcome of the plan.
func (p *Plan) continues(in Input) bool {
	return len(in.Previous) == len(p.Decisions) && len(in.Previous) > 0 && p.outcome.once.Done() && &in.Previous[0] == &p.outcome.list[0]
}

// edits are the differences between the objects of a plan and those of an input.
type edits struct {
	changed map[*item]normalize.Object // with another manifest, place, eviction or unschedulable replica, or a decision that was not yet settled
	added   []normalize.Object
	removed []*item
	written []render.Object
	inputs  []*item // parallel to written; nil for an object that is not as before
	most    int
}

// many reports whether deciding about everything takes no longer.
func (e *edits) many() bool { return len(e.changed)+len(e.added)+len(e.removed) > e.most }

// compare returns the differences, nil if they are too many. An object that moved behind others counts as many.
func (p *Plan) compare(in Input) *edits {
	e := &edits{
		changed: map[*item]normalize.Object{}, written: in.Objects, inputs: make([]*item, len(in.Objects)), most: max(stepObjects, len(in.Objects)/stepShare),
	}
	again := map[*item]bool{} // nothing is looked up for all others
	for _, ids := range []map[manifest.ID]bool{
		p.outcome.unsettled, eviction.Changed(p.evictions, in.Evictions), deschedule.Changed(p.unschedulable, deschedule.Sorted(in.Unschedulable)),
	} {
		if len(ids) > e.most {
			return nil
		}
		for id := range ids {
			if it, known := p.items.ofGit(id); known {
				again[it] = true
			}
		}
	}
	spans, _ := in.Edits.Between(p.items.written, in.Objects, splice.Places(p.items.inputs, again)...)
	at, last := 0, p.items.inputs
	for _, x := range spans {
		same := x.At - (len(p.items.inputs) - len(last))
		copy(e.inputs[at:], last[:same])
		at, last = at+same+x.In, last[same:]
		if !p.compareSpan(e, at-x.In, at, last[:x.Out], again) {
			return nil
		}
		last = last[x.Out:]
	}
	copy(e.inputs[at:], last)
	return e
}

// compareSpan adds the differences between some items and the objects of the input from one place to another. It returns false if they are
// too many.
func (p *Plan) compareSpan(e *edits, from, to int, last []*item, again map[*item]bool) bool {
	decided := func(id manifest.ID) bool {
		_, known := p.items.ofGit(id)
		return known
	}
	for i, o := range e.written[from:to] {
		if len(last) > 0 && last[0].source == o.Manifest && last[0].decision.Origin == o.Origin && !again[last[0]] {
			e.inputs[from+i], last = last[0], last[1:]
			continue
		}
		normal, _ := normalize.Objects(e.written[from+i:from+i+1], p.scopes, normalize.Before{Decided: decided, Moved: p.moved})
		x := normal[0]
		if x.Input = from + i; !decided(x.ID) {
			e.added = append(e.added, x)
		} else {
			for ; len(last) > 0 && last[0].decision.ID != x.ID; last = last[1:] {
				e.removed = append(e.removed, last[0])
			}
			if len(last) == 0 || e.many() {
				return false
			}
			e.changed[last[0]], last = x, last[1:]
		}
	}
	e.removed = append(e.removed, last...)
	return !e.many()
}

// selectedBy returns the items that a policy or an override selects that is not as before, and takes over all other policies.
func (p *Plan) selectedBy(earlier *earlierPlan, now *rules) []*item {
	var selects []func(it *item) bool
	if !earlier.sameDecisions {
		for _, changed := range now.claims.Adopt(p.rules.claims) {
			selects = append(selects, func(it *item) bool { return changed.Selects(it.decision.ID, it.manifest) })
		}
	}
	for i, was := range earlier.matching {
		if was != i {
			selects = append(selects, func(it *item) bool {
				return slices.Contains(it.candidates, i) || now.overrides.MaySelect(i, it.manifest.Get())
			})
		}
	}
	if len(selects) == 0 {
		return nil
	}
	var found []*item
	for _, it := range p.items.all {
		if slices.ContainsFunc(selects, func(selects func(*item) bool) bool { return selects(it) }) {
			found = append(found, it)
		}
	}
	return found
}

// include adds items to the changed ones. It reports false if they are too many, or one is a Namespace that is not in Git.
func (s *step) include(items []*item) bool {
	s.apart = s.earlier.sameDecisions && len(items)+len(s.edits.added)+len(s.edits.removed) == 0
	if len(items) == 0 {
		return true
	}
	gone := map[*item]bool{}
	for _, it := range s.edits.removed {
		gone[it] = true
	}
	for _, it := range items {
		if !it.declared() {
			return false
		}
		if _, known := s.edits.changed[it]; !known && !gone[it] {
			d := it.decision
			s.edits.changed[it] = normalize.Object{
				ID: d.ID, Manifest: it.manifest, Source: it.source, Origin: d.Origin, ScopeUnknown: d.ScopeUnknown, Input: -1,
			}
		}
	}
	for i, it := range s.edits.inputs {
		if it != nil {
			if x, known := s.edits.changed[it]; known {
				x.Input = i
				s.edits.changed[it] = x
			}
		}
	}
	return !s.edits.many()
}

// decide makes the new items, with the decisions of their own policies. It reports false for a mistake, and for an object that decides
// about others.
func (s *step) decide() bool {
	for _, was := range s.edits.removed {
		if !was.alone() {
			return false
		}
		s.out = append(s.out, was)
	}
	for was, x := range s.edits.changed {
		if !was.alone() || !s.add(x, s.earlier.previousOf(x.ID)) {
			return false
		}
		s.out = append(s.out, was)
	}
	for _, x := range s.edits.added {
		if !s.add(x, nil) {
			return false
		}
	}
	slices.SortFunc(s.out, byID)
	slices.SortFunc(s.in, byID)
	var unique bool
	s.items = items{implied: s.earlier.items.implied, written: s.edits.written, inputs: s.edits.inputs}
	s.items.inGit, unique = splice.List(s.earlier.items.inGit, s.out, s.in, byID)
	return unique
}

// previousOf returns the previous decision for the plan that follows about an object in Git.
func (p *Plan) previousOf(id manifest.ID) *previous.Decision {
	at, _ := search(p.items.inGit, id)
	return p.outcome.list[at]
}

// add makes the item of an object and decides about it. It reports false for a mistake, and for an object that decides about others.
func (s *step) add(x normalize.Object, last *previous.Decision) bool {
	it, mistakes := s.newItem(x, &decision.Decision{}, last, s.earlier)
	if len(mistakes) > 0 || !it.alone() {
		return false
	}
	s.choose(it)
	it.ownDecision, it.decided = *it.decision, true
	s.in, s.edits.inputs[x.Input] = append(s.in, it), it
	return true
}

// alone reports whether an object is of no kind that decides about other objects, and in no group with them.
func (it *item) alone() bool {
	id := it.decision.ID
	together, apart := it.groups()
	return together+apart == "" && id.GroupKind() != manifest.DefinitionKind && id.GroupKind() != namespaceKind && !autoscaler.Is(id)
}

// attach sends changed dependencies along with the objects that need them. It reports false if what needs what may have changed.
func (s *step) attach() bool {
	pairs := map[*item]*item{} // by the item before
	if s.apart {
		for _, it := range s.in {
			was, _ := s.earlier.items.get(it.decision.ID)
			pairs[was] = it
			s.apart = s.apart && it.concernsNobody(was)
		}
	}
	attaches := s.relations.attaches || slices.ContainsFunc(s.in, func(it *item) bool { return it.decision.Dependencies })
	if !attaches || !s.apart {
		return !attaches
	}
	for was, it := range pairs {
		owners := s.owners(it.decision.ID)
		for _, owner := range owners {
			if len(s.relations.dependents[owner.decision.ID]) > 0 {
				return false // its own clusters may come from others
			}
		}
		if len(owners) > 0 {
			it.decision.Attach(decisionsOf(owners))
		}
		if !decision.SameTargets(was.decision.Chosen, it.decision.Chosen) {
			return false
		}
	}
	return true
}

// concernsNobody reports whether no decision about another object depends on the difference between two items of one object.
func (it *item) concernsNobody(was *item) bool {
	a, b := &was.ownDecision, &it.ownDecision
	return a.Policy == b.Policy && a.GVK == b.GVK && was.needsRoom == it.needsRoom &&
		a.Overwrite == b.Overwrite && a.Preserve == b.Preserve && a.Dependencies == b.Dependencies && decision.SameTargets(a.Chosen, b.Chosen) &&
		maps.Equal(was.manifest.Get().GetLabels(), it.manifest.Get().GetLabels()) && it.generated() == was.generated() && it.sameReferences(was)
}

// sameReferences reports whether two items of one object need the same objects.
func (it *item) sameReferences(was *item) bool {
	return it.kind.Dependencies == nil || reflect.DeepEqual(it.kind.Dependencies(it.manifest.Get()), was.kind.Dependencies(was.manifest.Get()))
}

// implyNamespaces decides again about the namespaces of the objects that changed.
func (s *step) implyNamespaces() {
	needs := map[string]*decision.NamespaceNeed{}
	for _, list := range [][]*item{s.out, s.in} {
		for _, it := range list {
			if name := it.decision.ID.Namespace; name != "" && s.implies(name) {
				needs[name] = &decision.NamespaceNeed{}
			}
		}
	}
	for _, it := range s.items.inGit {
		if n := needs[it.decision.ID.Namespace]; n != nil && len(it.decision.Chosen) > 0 {
			n.Add(it.decision)
		}
	}
	var out, in []*item
	for name, need := range needs {
		was, known := s.items.get(namespaceID(name))
		var it *item
		switch {
		case known && was.declared():
			it = s.again(was)
		case need.On != nil:
			it = s.bareNamespace(name)
		}
		if it != nil && need.On != nil {
			it.imply(*need)
		}
		if known && it != nil && it.preserve == was.preserve && reflect.DeepEqual(it.decision, was.decision) {
			continue
		}
		if known {
			out = append(out, was)
		}
		if it != nil {
			in = append(in, it)
		}
		if at := slices.Index(s.items.inputs, was); known && at >= 0 {
			s.items.inputs[at] = it
		}
	}
	slices.SortFunc(out, byID)
	slices.SortFunc(in, byID)
	declaredOut, bareOut := byOrigin(out)
	declaredIn, bareIn := byOrigin(in)
	s.items.inGit, _ = splice.List(s.items.inGit, declaredOut, declaredIn, byID)
	s.items.implied, _ = splice.List(s.items.implied, bareOut, bareIn, byID)
	s.out, s.in = append(s.out, out...), append(s.in, in...)
	slices.SortFunc(s.out, byID)
	slices.SortFunc(s.in, byID)
}

// again returns a new item of a Namespace in Git, with the decision of its own policy.
func (s *step) again(was *item) *item {
	d := was.ownDecision
	s.refuseEmpty(&d)
	return &item{
		decision: &d, manifest: was.manifest, kind: was.kind, candidates: was.candidates, facts: was.facts, decided: true, source: was.source, earlier: was,
		ownDecision: was.ownDecision, previous: s.earlier.previousOf(d.ID), unclaimed: was.unclaimed, needsRoom: was.needsRoom,
	}
}

// byOrigin returns the items of objects in Git, and all others.
func byOrigin(items []*item) (declared, bare []*item) {
	for _, it := range items {
		if it.declared() {
			declared = append(declared, it)
		} else {
			bare = append(bare, it)
		}
	}
	return declared, bare
}

func byID(a, b *item) int { return a.decision.ID.Compare(b.decision.ID) }

func inApplyOrder(a, b *item) int { return applyorder.Compare(a.decision.ID, b.decision.ID) }

// finish makes the lists of the plan, with what the plan before rendered and digested.
func (s *step) finish() {
	room := false
	for _, it := range s.in {
		s.finishItem(it, s.earlier)
		room = room || it.needsRoom
	}
	if room || slices.ContainsFunc(s.out, func(it *item) bool { return it.needsRoom }) {
		s.needsRoom = slices.ContainsFunc(s.items.inGit, func(it *item) bool { return it.needsRoom })
	}
	out, _ := byOrigin(s.out)
	in, _ := byOrigin(s.in)
	s.Decisions, _ = splice.List(s.earlier.Decisions, decisionsOf(out), decisionsOf(in), func(a, b *decision.Decision) int { return a.ID.Compare(b.ID) })
	s.outcome.once.Do(func() {
		before := &s.earlier.outcome
		s.outcome.unsettled = maps.Clone(before.unsettled)
		var gone, made []*previous.Decision
		for _, it := range out {
			gone = append(gone, s.earlier.previousOf(it.decision.ID))
			delete(s.outcome.unsettled, it.decision.ID)
		}
		for _, it := range in {
			made = append(made, s.settle(it, nil))
		}
		s.outcome.list, _ = splice.List(before.list, gone, made, func(a, b *previous.Decision) int { return a.ID.Compare(b.ID) })
	})
	slices.SortFunc(s.out, inApplyOrder)
	slices.SortFunc(s.in, inApplyOrder)
	s.items.all, _ = splice.List(s.earlier.items.all, s.out, s.in, inApplyOrder)
	if s.earlier.digest.once.Done() {
		s.digest.of = s.earlier.digest.of.Edited(splice.Edits(s.earlier.items.all, s.out, s.in, inApplyOrder))
	}
	s.finishClusters()
}

func decisionsOf(items []*item) []*decision.Decision {
	all := make([]*decision.Decision, len(items))
	for i, it := range items {
		all[i] = it.decision
	}
	return all
}

// finishClusters replaces the items in the lists of their clusters.
func (s *step) finishClusters() {
	out, in := s.assignments(s.out), s.assignments(s.in)
	s.items.byCluster = slices.Clone(s.earlier.items.byCluster)
	order := func(a, b assigned) int { return inApplyOrder(a.item, b.item) }
	touched := maps.Clone(out)
	maps.Copy(touched, in)
	for cluster := range touched {
		was := s.earlier.items.byCluster[cluster]
		t := &clusterItems{out: out[cluster], in: in[cluster]}
		t.items, _ = splice.List(was.items, t.out, t.in, order)
		if was.once.Done() && len(was.plan.Failed) == 0 {
			t.base = &clusterItems{plan: was.plan, digest: was.digest.Edited(splice.Edits(was.items, t.out, t.in, order))}
		}
		s.items.byCluster[cluster] = t
	}
}

// assignments returns the items of each cluster, in the order of the items.
func (s *step) assignments(items []*item) map[int][]assigned {
	all := map[int][]assigned{}
	for _, it := range items {
		for i := range it.decision.Chosen {
			choice := &it.decision.Chosen[i]
			cluster := s.members.Index[choice.Cluster]
			all[cluster] = append(all[cluster], assigned{it, choice})
		}
	}
	return all
}
