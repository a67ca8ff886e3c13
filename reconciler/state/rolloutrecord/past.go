package rolloutrecord

import (
	"maps"

	"github.com/accord-dev/accord/propagate"
)

// PastPlans are the plans of older revisions that rollbacks and waiting clusters need, by revision. Nobody changes a value
// in place.
type PastPlans map[string]PastPlan

// PastPlan is the plan of an older revision. Made is set if the plan was made for the clusters of the active plan; otherwise
// it was active itself.
type PastPlan struct {
	Plan *propagate.Plan
	Made bool
}

// With adds the active plan, unless its revision is there.
func (all PastPlans) With(revision string, active *propagate.Plan) PastPlans {
	if _, known := all[revision]; known || active == nil {
		return all
	}
	return all.add(revision, PastPlan{Plan: active})
}

// Made adds a plan that was made for the clusters of the active plan.
func (all PastPlans) Made(revision string, plan *propagate.Plan) PastPlans {
	return all.add(revision, PastPlan{Plan: plan, Made: true})
}

func (all PastPlans) add(revision string, plan PastPlan) PastPlans {
	next := PastPlans{}
	maps.Copy(next, all)
	next[revision] = plan
	return next
}

// Needed returns the plans of some revisions, for a plan that becomes active: none was made for its clusters.
func (all PastPlans) Needed(revisions map[string]bool) PastPlans {
	next := PastPlans{}
	for revision, past := range all {
		if revisions[revision] {
			next[revision] = PastPlan{Plan: past.Plan}
		}
	}
	return next
}
