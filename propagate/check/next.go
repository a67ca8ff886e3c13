package check

import (
	"reflect"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

// Next returns the review of the plan that followed the one under review. It takes over the findings of checks that read nothing of
// what changed. r may be nil.
func (r *Review) Next(in propagate.Input, plan *propagate.Plan) *Review {
	if r == nil || !plan.StepFrom(r.plan) || !sameSettings(r.in, in) {
		return NewReview(in, plan)
	}
	next := newReview(in, plan)
	next.objects = slices.Clone(r.objects)
	var changed []int
	for _, id := range plan.ChangedSince(r.plan) {
		i, known := r.position(id)
		if known && r.objects[i].Decision != plan.Decisions[i] {
			next.objects[i] = &object{plan.Decisions[i], plan.Manifest(id)}
			changed = append(changed, i)
		}
	}
	for _, c := range Deciding() {
		if found, known := r.kept[c.Code]; known && !c.past && !r.differs(next, changed, c) {
			next.kept[c.Code] = found
		}
	}
	return next
}

// differs reports whether a check reads something else in one of the changed objects.
func (r *Review) differs(next *Review, changed []int, c Check) bool {
	for _, i := range changed {
		if c.reads != nil && c.reads(r, r.objects[i]) != c.reads(next, next.objects[i]) {
			return true
		}
	}
	return false
}

// sameSettings reports whether the manifests are equal that checks read and a step does not compare, or not all of them.
func sameSettings(a, b propagate.Input) bool {
	return reflect.DeepEqual(a.TaintPolicies, b.TaintPolicies) && reflect.DeepEqual(a.Rebalancers, b.Rebalancers) &&
		reflect.DeepEqual(a.Rollouts, b.Rollouts) && reflect.DeepEqual(a.Recoveries, b.Recoveries) && reflect.DeepEqual(a.Customizations, b.Customizations) &&
		reflect.DeepEqual(a.Health, b.Health) && slices.EqualFunc(a.Overrides, b.Overrides, (*policy.Override).Equal)
}
