package propagate

import (
	"reflect"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// PlanPair compares two plans.
type PlanPair struct {
	before, after *Plan
	// sameRendering means that both plans render with the same inventory label and the same customizations of users.
	sameRendering bool
	// matching has for every override of after the index of the equal one of before; -1 for none.
	matching []int
}

// PairWith returns the plan paired with the plan that follows it.
func (p *Plan) PairWith(after *Plan) *PlanPair {
	return &PlanPair{
		before: p, after: after, sameRendering: p.rules.rendersAs(after.rules),
		matching: after.rules.overrides.Matching(p.rules.overrides, func(a, b *policy.Override) bool {
			return a.RecordsReplicas == b.RecordsReplicas && reflect.DeepEqual(a.Spec, b.Spec)
		}),
	}
}

// ForObject renders one object in both plans; nil where there is none. It renders equal results once: both sides then
// share the same *Rendered.
func (pair *PlanPair) ForObject(id manifest.ID) (before, after *ObjectPlan) {
	was, known := pair.before.items.get(id)
	now, there := pair.after.items.get(id)
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

func (pair *PlanPair) sameResults(was, now *item) bool {
	return pair.sameRendering && sameResults(was, now, pair.matching) &&
		(was.manifest == now.manifest || reflect.DeepEqual(was.manifest.Get().Object, now.manifest.Get().Object))
}

// sameResults reports whether the same choice of cluster and replicas has the same result for two items with equal
// manifests. matching is that of override.Set.Matching.
func sameResults(was, now *item, matching []int) bool {
	if was.preserve != now.preserve || was.decision.Preserve != now.decision.Preserve || len(was.candidates) != len(now.candidates) {
		return false
	}
	for i, c := range now.candidates {
		if matching[c] != was.candidates[i] {
			return false
		}
	}
	return true
}
