package propagate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// rebalancersOf returns the names of the WorkloadRebalancers of each object, sorted.
func rebalancersOf(all []policy.Rebalancer) map[manifest.ID][]string {
	names := map[manifest.ID][]string{}
	for _, r := range all {
		for _, w := range r.Spec.Workloads {
			gk := schema.FromAPIVersionAndKind(w.APIVersion, w.Kind).GroupKind()
			id := manifest.ID{Group: gk.Group, Kind: gk.Kind, Namespace: w.Namespace, Name: w.Name}
			if !slices.Contains(names[id], r.Name) {
				names[id] = append(names[id], r.Name)
			}
		}
	}
	for _, list := range names {
		slices.Sort(list)
	}
	return names
}

// rebalance reports whether to place an object as if it were new: a WorkloadRebalancer names it that did not name it in
// the previous plan (Karmada §4.11). Each WorkloadRebalancer takes effect once. names are all that name the object,
// joined by commas.
func (p *Plan) rebalance(it *item) (names string, fresh bool) {
	id := it.decision.ID
	obeyed := strings.Split(it.last().Rebalanced, ",")
	fresh = slices.ContainsFunc(p.rules.rebalancers[id], func(name string) bool { return !slices.Contains(obeyed, name) })
	return strings.Join(p.rules.rebalancers[id], ","), fresh
}
