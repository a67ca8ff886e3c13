// Package rebalance finds the WorkloadRebalancers of objects (Karmada §4.11).
package rebalance

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Names returns the names of the WorkloadRebalancers of each object, sorted.
func Names(all []policy.Rebalancer) map[manifest.ID][]string {
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

// Since returns all WorkloadRebalancers of an object, joined by commas, and reports whether one of them was not among those that took
// effect before: each takes effect once. The object is then placed as if it were new.
func Since(names []string, before string) (all string, anew bool) {
	handled := strings.Split(before, ",")
	anew = slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(handled, name) })
	return strings.Join(names, ","), anew
}
