package propagate

import (
	"maps"
	"reflect"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/normalize"
)

// Next returns the same plan as New(in), faster: an object keeps its decision and results in p if its manifest is the
// same pointer and nothing that its decision depends on has changed. If in.Previous is p.Previous() and only a few objects have
// another content, Next looks at these alone. The new plan does not refer to p, and p stays as it is. p may be nil.
func (p *Plan) Next(in Input) (*Plan, error) {
	if next := p.step(in); next != nil {
		return next, nil
	}
	return newPlan(in, p)
}

// lineage relates a plan to the plan that it was made from.
type lineage struct {
	identity *byte                // identifies this plan
	madeFrom *byte                // identity of the plan that it was made from
	step     bool                 // it shares the items that did not change with that plan
	apart    bool                 // no object that changed concerns another one
	changed  map[manifest.ID]bool // objects about which something differs from that plan
}

func newLineage(last *Plan) lineage {
	l := lineage{identity: new(byte), changed: map[manifest.ID]bool{}}
	if last != nil {
		l.madeFrom = last.lineage.identity
	}
	return l
}

// earlierPlan is the last plan, with the extent to which a new one can reuse it.
type earlierPlan struct {
	*Plan
	// sameDecisions means that an unchanged object gets the same decision: policies, clusters, and everything else that
	// decisions depend on are equal. sameSettings is sameDecisions without the policies. sameRendering means the same of
	// rendering, with the same overrides.
	sameDecisions, sameSettings, sameRendering bool
	// matching has for every override of the new plan the index of the equal one of the earlier plan; -1 for none.
	matching []int
}

// reusable returns how much of last, which may be nil, p can reuse.
func (p *Plan) reusable(last *Plan) *earlierPlan {
	if last == nil {
		return nil
	}
	was, now := &last.rules, &p.rules
	e := &earlierPlan{Plan: last, sameRendering: was.rendersAs(*now)}
	e.sameSettings = e.sameRendering && was.exclusions.Equal(now.exclusions) && reflect.DeepEqual(was.rebalancers, now.rebalancers) &&
		reflect.DeepEqual(last.members.All, p.members.All) && was.overrides.SameTitles(now.overrides)
	e.sameDecisions = e.sameSettings && was.claims == now.claims
	e.matching = now.overrides.Matching(was.overrides, (*policy.Override).Equal)
	return e
}

// item returns the earlier item with the same manifest; nil if there is none.
func (e *earlierPlan) item(o normalize.Object) *item {
	if e == nil {
		return nil
	}
	was, known := e.items.get(o.ID)
	if known && was.source == o.Source && o.Source != nil && was.decision.Origin == o.Origin && was.decision.ScopeUnknown == o.ScopeUnknown {
		return was
	}
	return nil
}

// moved returns the copy of a manifest with the namespace of id that the plan made; nil if there is none. p may be nil.
func (p *Plan) moved(source *manifest.Packed, id manifest.ID) *manifest.Packed {
	if p == nil {
		return nil
	}
	if it, known := p.items.get(id); known && it.source == source {
		return it.manifest
	}
	return nil
}

// reuseClaim copies the earlier policy of an object. It reports false if the policy has to be found again.
func reuseClaim(it *item, earlier *earlierPlan) bool {
	was := it.earlier
	if was == nil || !earlier.sameDecisions {
		return false
	}
	it.decision.Policy, it.decision.Why, it.unclaimed = was.ownDecision.Policy, was.unclaimed, was.unclaimed
	return true
}

// reuseChoice copies the earlier decision about an object. It reports false if the decision has to be made again.
func (p *Plan) reuseChoice(it *item, earlier *earlierPlan) bool {
	was := it.earlier
	if was == nil || !earlier.sameDecisions {
		return false
	}
	id := it.decision.ID
	together, apart := it.groups()
	if together != "" || apart != "" || !reflect.DeepEqual(it.previous, was.previous) || !it.decision.Evictions.Equal(was.ownDecision.Evictions) ||
		!slices.Equal(p.unschedulable.Of(id), earlier.unschedulable.Of(id)) ||
		!reflect.DeepEqual(p.relations.provided[id.GroupKind()], earlier.relations.provided[id.GroupKind()]) {
		return false
	}
	*it.decision, it.needsRoom = was.ownDecision, was.needsRoom
	return true
}

// reuseResults takes over the rendered results, and the digest if the object goes to the same clusters in the same way.
// It reports whether everything about the object is as in the earlier plan.
func (p *Plan) reuseResults(it *item, earlier *earlierPlan) (unchanged bool) {
	was := it.earlier
	if was == nil || !earlier.sameRendering || earlier.relations.scaled[it.decision.ID] != p.relations.scaled[it.decision.ID] ||
		!sameResults(was, it, earlier.matching) {
		return false
	}
	was.mu.Lock()
	defer was.mu.Unlock()
	if earlier.sameDecisions && was.digested && was.overwrite == it.overwrite && decision.SameDelivery(was.decision, it.decision) {
		it.results, it.digest, it.digested = slices.Clip(was.results), was.digest, true
		return reflect.DeepEqual(was.decision, it.decision) && reflect.DeepEqual(it.previous, was.previous)
	}
	it.reusable = slices.Clip(was.results)
	return false
}

// StepFrom reports whether p was made from last by deciding about a few objects, none of which concerns another one. The decisions of
// p are parallel to those of last, and the decision about an object that did not change is the same pointer.
func (p *Plan) StepFrom(last *Plan) bool {
	return last != nil && p.lineage.apart && p.lineage.madeFrom == last.lineage.identity
}

// ChangedSince returns the objects about which something is not as in last, in no order: all if p was not made from last.
func (p *Plan) ChangedSince(last *Plan) []manifest.ID {
	if last == nil || p.lineage.madeFrom != last.lineage.identity {
		return p.Objects()
	}
	return slices.Collect(maps.Keys(p.lineage.changed))
}

// UnchangedSince reports whether p was made from last and everything about an object is as it was there.
func (p *Plan) UnchangedSince(last *Plan, id manifest.ID) bool {
	_, known := p.items.get(id)
	return last != nil && p.lineage.madeFrom == last.lineage.identity && known && !p.lineage.changed[id]
}
