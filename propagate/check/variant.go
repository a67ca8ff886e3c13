package check

import (
	"cmp"
	"slices"
	"sync"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/render/override"
)

// variant is an object as it is on some of its clusters: made by the same edits on all of them, or the same failure.
type variant struct {
	id       manifest.ID
	object   *object // nil for an implied Namespace that is not in Git
	edited   []override.Edit
	failure  *propagate.Failure
	clusters []string
}

// Outcomes are the results of rendering the objects of one plan, as far as checks need them. The zero value is ready to
// use.
type Outcomes struct {
	lock     sync.Mutex
	variants []*variant
}

// Add records the results of one object. Several goroutines may call Add, once for every object of the plan.
func (o *Outcomes) Add(across *propagate.ObjectPlan) { o.add(variantsOf(across)) }

// AddUnchanged is Add for two plans in which everything about the object is the same. Reviews of the two must not run at the same time.
func AddUnchanged(before, after *Outcomes, across *propagate.ObjectPlan) {
	variants := variantsOf(across)
	before.add(variants)
	after.add(variants)
}

func (o *Outcomes) add(variants []*variant) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.variants = append(o.variants, variants...)
}

// variantsOf returns the variants of one object. Results that fail with the same message are one variant.
func variantsOf(across *propagate.ObjectPlan) []*variant {
	all := make([]variant, len(across.Results))
	made, distinct := make([]*variant, len(all)), make([]*variant, 0, len(all))
	counts := make([]int, len(all))
	for _, at := range across.ResultIndex {
		counts[at]++
	}
	names := make([]string, len(across.Chosen)) // one allocation for the clusters of all variants
	var failed map[string]*variant
	for i, r := range across.Results {
		v := &all[i]
		made[i], v.id = v, across.ID
		v.clusters, names = names[:0:counts[i]], names[counts[i]:]
		if r.Err == nil {
			v.edited = r.Edits
		} else if same := failed[r.Err.Error()]; same != nil {
			made[i] = same
			continue
		} else {
			v.failure = &propagate.Failure{ID: across.ID, Origin: across.Origin, Err: r.Err}
			if failed == nil {
				failed = map[string]*variant{}
			}
			failed[r.Err.Error()] = v
		}
		distinct = append(distinct, v)
	}
	for i := range across.Chosen {
		v := made[across.ResultIndex[i]]
		v.clusters = append(v.clusters, across.Chosen[i].Cluster)
	}
	return distinct
}

// OutcomesOf renders every object of a plan, one after the other on each core, and keeps no rendered object.
func OutcomesOf(plan *propagate.Plan) *Outcomes { return OutcomesSince(plan, nil) }

// OutcomesSince is OutcomesOf for the objects that are not as in the last plan; all of them if last is nil.
func OutcomesSince(plan, last *propagate.Plan) *Outcomes {
	var o Outcomes
	ids := plan.ChangedSince(last)
	concurrent.Do(len(ids), func(i int) {
		if across, ok := plan.ForObject(ids[i]); ok {
			o.Add(across)
		}
	})
	return &o
}

// rendering returns the variants of all objects, sorted.
func (r *Review) rendering() []*variant {
	if r.outcomes == nil {
		r.outcomes = OutcomesOf(r.plan)
	}
	all := r.outcomes.variants
	for _, v := range all {
		v.object = r.object(v.id)
	}
	slices.SortFunc(all, func(a, b *variant) int {
		return cmp.Or(a.id.Compare(b.id), cmp.Compare(a.clusters[0], b.clusters[0]))
	})
	return all
}

// trace returns the steps of the overrides that made the variant.
func (r *Review) trace(v *variant) []override.Step {
	steps, err := r.plan.Trace(v.id, v.clusters[0])
	if err != nil {
		return nil // reported by cannot-render
	}
	return steps
}

// edits returns the changes of the overrides; nil for a failure.
func (v *variant) edits() []override.Edit { return v.edited }

// on returns "on eu-1 and eu-2", or "on every cluster" when there is no other.
func (v *variant) on() string {
	if v.object != nil && len(v.object.Chosen) == len(v.clusters) && len(v.clusters) > 1 {
		return "on every cluster"
	}
	return "on " + phrase.And(v.clusters, named)
}
