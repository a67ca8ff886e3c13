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
func (p *Plan) Next(in Input) (*Plan, error) { return newPlan(in, p) }

// earlierPlan is the plan before, as far as it helps.
type earlierPlan struct {
	*Plan
	// sameDecisions says that an object of which nothing is new is decided as before: policies, clusters, and all else that
	// a decision about it can see is the same. rendering says the same of what it becomes, with the same overrides.
	sameDecisions, sameRendering bool
	// matching has for every override of now the one of before that is the same; -1 for none.
	matching []int
}

// reusable finds out how far last, which may be nil, helps with p.
func (p *Plan) reusable(last *Plan) *earlierPlan {
	if last == nil {
		return nil
	}
	e := &earlierPlan{Plan: last, sameRendering: last.applySet == p.applySet && last.interpretersID == p.interpretersID}
	e.sameDecisions = e.sameRendering && reflect.DeepEqual(last.skip, p.skip) && reflect.DeepEqual(last.policies, p.policies) &&
		reflect.DeepEqual(last.rebalancers, p.rebalancers) && reflect.DeepEqual(last.clusters, p.clusters) &&
		slices.EqualFunc(last.overrides.all, p.overrides.all, func(a, b policy.Override) bool { return a.Title() == b.Title() })
	e.matching = sameAs(last.overrides.all, p.overrides.all)
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
func (e *earlierPlan) item(id manifest.ID, source *unstructured.Unstructured, at manifest.Origin) *item {
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

// reuseClaim gives an object the policy that it had, if all is as before; false if that has to be looked for.
func (p *Plan) reuseClaim(it *item) bool {
	was := it.earlier
	if was == nil || !p.earlier.sameDecisions {
		return false
	}
	it.decision.Policy, it.decision.Why, it.unclaimed = was.ownDecision.Policy, was.unclaimed, was.unclaimed
	return true
}

// reuseChoice takes over what was decided about an object, if all that was seen then is the same; false if it has to be
// decided anew.
func (p *Plan) reuseChoice(it *item) bool {
	was := it.earlier
	if was == nil || !p.earlier.sameDecisions {
		return false
	}
	id := it.decision.ID
	together, apart := it.groups()
	if together != "" || apart != "" || !reflect.DeepEqual(p.previous[id], p.earlier.previous[id]) ||
		!reflect.DeepEqual(p.provided[id.GroupKind()], p.earlier.provided[id.GroupKind()]) {
		return false
	}
	*it.decision, it.needsRoom = was.ownDecision, was.needsRoom
	return true
}

// reuseResults takes over what an object was rendered to, and its sum if it goes to the same clusters in the same way.
func (p *Plan) reuseResults(it *item) {
	was := it.earlier
	if was == nil || !p.earlier.sameRendering || !p.sameResults(was, it) {
		return
	}
	was.mu.Lock()
	defer was.mu.Unlock()
	if p.earlier.sameDecisions && was.digested && was.overwrite == it.overwrite && sameDelivery(was.decision, it.decision) {
		it.results, it.digest, it.digested = slices.Clip(was.results), was.digest, true
		it.unchanged = reflect.DeepEqual(was.decision, it.decision) && reflect.DeepEqual(p.previous[it.decision.ID], p.earlier.previous[it.decision.ID])
		return
	}
	it.reusable = slices.Clip(was.results)
}

// sameResults says that the same choice, with the same override rules, makes the same of both.
func (p *Plan) sameResults(was, now *item) bool {
	if was.preserve != now.preserve || was.decision.Preserve != now.decision.Preserve || len(was.candidates) != len(now.candidates) ||
		p.earlier.scaled[was.decision.ID] != p.scaled[now.decision.ID] {
		return false
	}
	for i, c := range now.candidates {
		if p.earlier.matching[c] != was.candidates[i] {
			return false
		}
	}
	return true
}

// sameDelivery says that two decisions send the same object to the same clusters, and that nothing in a digest tells them
// apart.
func sameDelivery(a, b *Decision) bool {
	return a.Policy == b.Policy && a.GVK == b.GVK && slices.EqualFunc(a.Chosen, b.Chosen, func(x, y Choice) bool {
		return reflect.DeepEqual(x, y)
	})
}

// UnchangedSince says that p was made with last, and that nothing was decided about an object since.
func (p *Plan) UnchangedSince(last *Plan, id manifest.ID) bool {
	it := p.byID[id]
	return last != nil && p.madeFrom == last.identity && it != nil && it.unchanged
}
