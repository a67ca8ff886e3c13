package propagate

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Next is New(in), made sooner by what p has in common with it: of an object whose manifest is the very same and whose
// decision can see nothing new, what p decided and rendered is taken over. It is the plan that New makes, in every part.
// p stays as it is, and is not kept. A nil p is no plan to begin with.
func (p *Plan) Next(in Input) (*Plan, error) { return decide(in, p) }

// earlier is the plan before, as far as it helps.
type earlier struct {
	*Plan
	// deciding says that an object of which nothing is new is decided as before: policies, clusters, and all else that
	// a decision about it can see is the same. rendering says the same of what it becomes, with the same overrides.
	deciding, rendering bool
	// twin has for every override of now the one of before that is the same; -1 for none.
	twin []int
}

// compare finds out how far last, which may be nil, helps with p.
func (p *Plan) compare(last *Plan) *earlier {
	if last == nil {
		return nil
	}
	e := &earlier{Plan: last, rendering: last.applySet == p.applySet && last.interpreted == p.interpreted}
	e.deciding = e.rendering && reflect.DeepEqual(last.skip, p.skip) && reflect.DeepEqual(last.policies, p.policies) &&
		reflect.DeepEqual(last.rebalancers, p.rebalancers) && reflect.DeepEqual(last.clusters, p.clusters) &&
		slices.EqualFunc(last.overrides.all, p.overrides.all, func(a, b policy.Override) bool { return a.Title() == b.Title() })
	e.twin = sameAs(last.overrides.all, p.overrides.all)
	return e
}

// sameAs has for every override of now the index of the one of before that is the same; -1 for none.
func sameAs(before, now []policy.Override) []int {
	byTitle := map[string]int{}
	for i := range before {
		byTitle[before[i].Title()] = i
	}
	twin := make([]int, len(now))
	for i := range now {
		j, there := byTitle[now[i].Title()]
		if twin[i] = -1; there && reflect.DeepEqual(before[j], now[i]) {
			twin[i] = j
		}
	}
	return twin
}

// item is the one of before with the same manifest; nil if there is none.
func (e *earlier) item(id manifest.ID, source *unstructured.Unstructured, at manifest.Origin) *item {
	if e == nil {
		return nil
	}
	if was := e.byID[id]; was != nil && was.source == source && source != nil && was.decision.Origin == at {
		return was
	}
	return nil
}

// placed is what a manifest became before when it was given this namespace; nil if it was not.
func (p *Plan) placed(source *unstructured.Unstructured, namespace string) *unstructured.Unstructured {
	if p == nil {
		return nil
	}
	if u := p.moved[source]; u != nil && u.GetNamespace() == namespace {
		return u
	}
	return nil
}

// reclaim gives an object the policy that it had, if all is as before; false if that has to be looked for.
func (p *Plan) reclaim(it *item) bool {
	was := it.was
	if was == nil || !p.earlier.deciding {
		return false
	}
	it.decision.Policy, it.decision.Why, it.unclaimed = was.settled.Policy, was.unclaimed, was.unclaimed
	return true
}

// rechoose takes over what was decided about an object, if all that was seen then is the same; false if it has to be
// decided anew.
func (p *Plan) rechoose(it *item) bool {
	was := it.was
	if was == nil || !p.earlier.deciding {
		return false
	}
	id := it.decision.ID
	together, apart := it.groups()
	if together != "" || apart != "" || !reflect.DeepEqual(p.previous[id], p.earlier.previous[id]) ||
		!reflect.DeepEqual(p.provided[id.GroupKind()], p.earlier.provided[id.GroupKind()]) {
		return false
	}
	*it.decision, it.needsRoom = was.settled, was.needsRoom
	return true
}

// carry takes over what an object was rendered to, and its sum if it goes to the same clusters in the same way.
func (p *Plan) carry(it *item) {
	was := it.was
	if was == nil || !p.earlier.rendering || !p.becomes(was, it) {
		return
	}
	was.mu.Lock()
	defer was.mu.Unlock()
	if p.earlier.deciding && was.summed && was.overwrite == it.overwrite && sameCourse(was.decision, it.decision) {
		it.results, it.sum, it.summed = slices.Clip(was.results), was.sum, true
		it.carried = reflect.DeepEqual(was.decision, it.decision) && reflect.DeepEqual(p.previous[it.decision.ID], p.earlier.previous[it.decision.ID])
		return
	}
	it.before = slices.Clip(was.results)
}

// becomes says that the same choice, with the same override rules, makes the same of both.
func (p *Plan) becomes(was, now *item) bool {
	if was.preserve != now.preserve || was.decision.Preserve != now.decision.Preserve || len(was.candidates) != len(now.candidates) ||
		p.earlier.scaled[was.decision.ID] != p.scaled[now.decision.ID] {
		return false
	}
	for i, c := range now.candidates {
		if p.earlier.twin[c] != was.candidates[i] {
			return false
		}
	}
	return true
}

// sameCourse says that two decisions send the same object to the same clusters, and that nothing in a digest tells them
// apart.
func sameCourse(a, b *Decision) bool {
	return a.Policy == b.Policy && a.GVK == b.GVK && slices.EqualFunc(a.Chosen, b.Chosen, func(x, y Choice) bool {
		return reflect.DeepEqual(x, y)
	})
}

// Carried says that p was made with last, and that nothing was decided about an object since.
func (p *Plan) Carried(last *Plan, id manifest.ID) bool {
	it := p.byID[id]
	return last != nil && p.after == last.self && it != nil && it.carried
}
