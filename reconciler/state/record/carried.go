package record

import (
	"iter"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/splice"
)

// Carried relates a plan to the plan that the hub has the records of. The zero value carries nothing over.
type Carried struct {
	last, plan *propagate.Plan
}

// Carry returns the decisions of plan that did not change since last, which may be nil.
func Carry(last, plan *propagate.Plan) Carried { return Carried{last, plan} }

// Has reports whether nothing was decided about an object since the last plan.
func (c Carried) Has(id manifest.ID) bool { return c.plan != nil && c.plan.UnchangedSince(c.last, id) }

// IsStep reports whether both plans have the same objects.
func (c Carried) IsStep() bool { return c.plan != nil && c.plan.StepFrom(c.last) }

// Decisions iterates over the decisions of plan that may have changed, by their index: all without a last plan.
func (c Carried) Decisions(plan *propagate.Plan) iter.Seq2[int, *decision.Decision] {
	if c.last == nil {
		return slices.All(plan.Decisions)
	}
	ids := c.plan.ChangedSince(c.last)
	slices.SortFunc(ids, manifest.ID.Compare)
	return func(yield func(int, *decision.Decision) bool) {
		for _, id := range ids {
			i, known := slices.BinarySearchFunc(plan.Decisions, id, func(d *decision.Decision, id manifest.ID) int { return d.ID.Compare(id) })
			if known && !yield(i, plan.Decisions[i]) {
				return
			}
		}
	}
}

// Undecided returns the objects of the last plan that may have had a FederatedObject and have none any more; false without a last
// plan.
func (c Carried) Undecided() (ids []manifest.ID, known bool) {
	if c.last == nil {
		return nil, false
	}
	for _, id := range c.plan.ChangedSince(c.last) {
		if d := c.plan.Decision(id); d == nil || !Has(d) {
			ids = append(ids, id)
		}
	}
	if c.IsStep() {
		return ids, true
	}
	for was, now := range splice.Pairs(c.last.Decisions, c.plan.Decisions, byID) {
		if now == nil {
			ids = append(ids, was.ID)
		}
	}
	return ids, true
}

// byID compares two decisions by their objects.
func byID(a, b *decision.Decision) int {
	if a == b {
		return 0
	}
	return a.ID.Compare(b.ID)
}

// Objects returns the objects of a plan that have a FederatedObject.
func Objects(plan *propagate.Plan) map[manifest.ID]bool {
	ids := make(map[manifest.ID]bool, len(plan.Decisions))
	for _, d := range plan.Decisions {
		if Has(d) {
			ids[d.ID] = true
		}
	}
	return ids
}

// Summary counts the decisions of a plan, for the status of its Release. The zero value is that of no plan.
type Summary struct {
	// Objects is the number of objects with a FederatedObject.
	Objects int
	// Retained and Unplaced describe the objects whose previous clusters stay, and those that no cluster fits.
	Retained, Unplaced []string

	plan *propagate.Plan
}

// Of returns the Summary of a plan. If s is that of the plan before, it looks at the decisions that changed.
func (s Summary) Of(plan *propagate.Plan) Summary {
	if s.plan == plan {
		return s
	}
	if plan.StepFrom(s.plan) && len(s.Retained)+len(s.Unplaced) == 0 {
		if next, ok := s.step(plan); ok {
			return next
		}
	}
	next := Summary{plan: plan}
	for _, d := range plan.Decisions {
		next.add(d)
	}
	return next
}

// step counts changed objects again. It returns false if one of them is retained or unplaced.
func (s Summary) step(plan *propagate.Plan) (next Summary, ok bool) {
	next = Summary{plan: plan, Objects: s.Objects}
	for _, id := range plan.ChangedSince(s.plan) {
		if Has(s.plan.Decision(id)) {
			next.Objects--
		}
		next.add(plan.Decision(id))
	}
	return next, len(next.Retained)+len(next.Unplaced) == 0
}

func (s *Summary) add(d *decision.Decision) {
	if !Has(d) {
		return
	}
	s.Objects++
	switch {
	case d.PlacementRetained:
		s.Retained = append(s.Retained, d.ID.String()+": "+d.Why)
	case d.Unplaced():
		s.Unplaced = append(s.Unplaced, d.ID.String()+": "+d.Why)
	}
}
