package propagate

import (
	"reflect"

	"github.com/accord-dev/accord/api/manifest"
)

// Pair is two plans side by side.
type Pair struct {
	before, after *Plan
	// twin has for every override of before the one of after that is the same; -1 for none.
	twin []int
}

// Beside puts a plan beside the one that comes after it.
func (p *Plan) Beside(after *Plan) *Pair {
	pair := &Pair{before: p, after: after, twin: make([]int, len(p.overrides.all))}
	byTitle := map[string]int{}
	for i := range after.overrides.all {
		byTitle[after.overrides.all[i].Title()] = i
	}
	for i := range p.overrides.all {
		o := &p.overrides.all[i]
		pair.twin[i] = -1
		if j, there := byTitle[o.Title()]; there && reflect.DeepEqual(o.Spec, after.overrides.all[j].Spec) {
			pair.twin[i] = j
		}
	}
	return pair
}

// Across renders one object in both plans, nil where there is none. What becomes the same in both is rendered once, and
// then the two have the same *Rendered.
func (pair *Pair) Across(id manifest.ID) (before, after *Across) {
	was, known := pair.before.byID[id]
	now, there := pair.after.byID[id]
	if there {
		after = pair.after.across(now, nil, pair.after.finish)
	}
	switch {
	case !known:
	case there && pair.alike(was, now):
		before = pair.before.across(was, after, pair.before.finish)
	default:
		before = pair.before.across(was, nil, pair.before.finish)
	}
	return before, after
}

// alike says that the same choice of cluster and replicas, with the same override rules, makes the same of both.
func (pair *Pair) alike(was, now *item) bool {
	if pair.before.applySet != pair.after.applySet || pair.before.interpreted != pair.after.interpreted ||
		was.preserve != now.preserve || was.decision.Preserve != now.decision.Preserve || len(was.candidates) != len(now.candidates) {
		return false
	}
	for i, c := range was.candidates {
		if pair.twin[c] != now.candidates[i] {
			return false
		}
	}
	return was.manifest == now.manifest || reflect.DeepEqual(was.manifest.Object, now.manifest.Object)
}
