package propagate

import (
	"reflect"

	"github.com/accord-dev/accord/api/manifest"
)

// PlanPair compares two plans.
type PlanPair struct {
	before, after *Plan
	// matching has for every override of before the index of the equal one of after; -1 for none.
	matching []int
}

// PairWith returns the plan paired with the plan that follows it.
func (p *Plan) PairWith(after *Plan) *PlanPair {
	pair := &PlanPair{before: p, after: after, matching: make([]int, len(p.overrides.all))}
	byTitle := map[string]int{}
	for i := range after.overrides.all {
		byTitle[after.overrides.all[i].Title()] = i
	}
	for i := range p.overrides.all {
		o := &p.overrides.all[i]
		pair.matching[i] = -1
		if j, there := byTitle[o.Title()]; there && reflect.DeepEqual(o.Spec, after.overrides.all[j].Spec) {
			pair.matching[i] = j
		}
	}
	return pair
}

// ForObject renders one object in both plans; nil where there is none. It renders equal results once: both sides then
// share the same *Rendered.
func (pair *PlanPair) ForObject(id manifest.ID) (before, after *ObjectPlan) {
	was, known := pair.before.byID[id]
	now, there := pair.after.byID[id]
	if there {
		after = pair.after.forObject(now, nil, pair.after.finish)
	}
	switch {
	case !known:
	case there && pair.sameResults(was, now):
		before = pair.before.forObject(was, after, pair.before.finish)
	default:
		before = pair.before.forObject(was, nil, pair.before.finish)
	}
	return before, after
}

// sameResults reports whether the same choice of cluster and replicas, with the same override rules, has the same
// result in both plans.
func (pair *PlanPair) sameResults(was, now *item) bool {
	if pair.before.applySet != pair.after.applySet || pair.before.interpretersID != pair.after.interpretersID ||
		was.preserve != now.preserve || was.decision.Preserve != now.decision.Preserve || len(was.candidates) != len(now.candidates) {
		return false
	}
	for i, c := range was.candidates {
		if pair.matching[c] != now.candidates[i] {
			return false
		}
	}
	return was.manifest == now.manifest || reflect.DeepEqual(was.manifest.Object, now.manifest.Object)
}
