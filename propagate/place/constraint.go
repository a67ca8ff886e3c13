package place

import (
	"fmt"
	"math"

	"github.com/accord-dev/accord/api/policy"
)

// constraint bounds the number of chosen groups of one kind.
type constraint struct {
	by    string // "cluster", "region"
	there bool   // the policy has the constraint
	least int    // 1 or more
	most  int    // math.MaxInt when there is no upper bound
	field string // its path below spec.placement
}

// constraint returns the spread constraint by a field; the last of several counts. A missing constraint bounds nothing,
// and neither does maxGroups 0, which Karmada takes literally (DESIGN section 8, B14).
func (q Question) constraint(by string) constraint {
	c := constraint{by: by, least: 1, most: math.MaxInt, field: "spreadConstraints"}
	for i, s := range q.Placement.SpreadConstraints {
		if s.SpreadByField != by {
			continue
		}
		c.there, c.least, c.most, c.field = true, max(1, s.MinGroups), math.MaxInt, fmt.Sprintf("spreadConstraints[%d]", i)
		if s.MaxGroups > 0 {
			c.most = s.MaxGroups
		}
	}
	return c
}

func (c constraint) allows(groups int) bool { return groups >= c.least && groups <= c.most }

// needs returns the problem of a constraint with too few groups. found counts them, as the end of a sentence.
func (c constraint) needs(found string) error {
	return &Problem{
		Message: fmt.Sprintf("spread constraint by %s wants at least %d, and %s", c.by, c.least, found),
		Field:   c.field + ".minGroups",
		Reason:  BelowMin,
	}
}

// unconstrained reports whether every cluster that fits is chosen: there are no constraints, or static weights divide
// the replicas and Karmada ignores constraints (§4.5). An empty weightPreference does not ignore them.
func (q Question) unconstrained() bool {
	if len(q.Placement.SpreadConstraints) == 0 {
		return true
	}
	if !q.divided() || q.Placement.ReplicaScheduling.ReplicaDivisionPreference == policy.Aggregated {
		return false
	}
	w := q.Placement.ReplicaScheduling.WeightPreference
	return w == nil || len(w.StaticWeightList) > 0 && w.DynamicWeight == ""
}

// divided reports whether clusters share the replicas.
func (q Question) divided() bool {
	s := q.Placement.ReplicaScheduling
	return s != nil && s.ReplicaSchedulingType == policy.Divided
}

// unusable returns the problem of unsupported constraints: by label, or by zone or provider without cluster or region
// (Karmada §4.5).
func (q Question) unusable() error {
	for i, s := range q.Placement.SpreadConstraints {
		if s.SpreadByLabel != "" {
			return &Problem{
				Message: fmt.Sprintf("spread constraint by label %s is not acted on; write spreadByField cluster or region", s.SpreadByLabel),
				Field:   fmt.Sprintf("spreadConstraints[%d].spreadByLabel", i),
				Reason:  Unusable,
			}
		}
	}
	by := q.Placement.SpreadConstraints[0].SpreadByField
	return &Problem{
		Message: fmt.Sprintf("spread constraint by %s needs one by cluster or region beside it", by),
		Field:   "spreadConstraints",
		Reason:  Unusable,
	}
}
