package propagate

import (
	"slices"
	"strings"
)

// rebalance reports whether to place an object as if it were new: a WorkloadRebalancer names it that did not name it in
// the previous plan (Karmada §4.11). Each WorkloadRebalancer takes effect once. names are all that name the object,
// joined by commas.
func (p *Plan) rebalance(it *item) (names string, fresh bool) {
	id := it.decision.ID
	obeyed := strings.Split(it.last().Rebalanced, ",")
	fresh = slices.ContainsFunc(p.rules.rebalancers[id], func(name string) bool { return !slices.Contains(obeyed, name) })
	return strings.Join(p.rules.rebalancers[id], ","), fresh
}
