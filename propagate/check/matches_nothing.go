package check

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
)

var matchesNothing = Check{
	Code:     "matches-nothing",
	Severity: propagate.Warning,
	Summary:  "a policy or an override that selects no object, or names one that is not there; the same for clusters to taint and workloads to rebalance",
	Why: "A selector with a wrong name, group or namespace is valid and has no effect, and in Karmada nobody is told. The nearest thing that " +
		"is there is named, if one is near.",
	Fix: "Correct the selector, or remove what is there for an object that is gone. The version in `apiVersion` does not matter, the group does.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: frontnd}]   # there is "frontend"`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		for i := range r.in.Policies {
			p := &r.in.Policies[i]
			found = append(found, r.unmatched(p.Meta, p.Title(), p.Spec.ResourceSelectors, r.claim(p).selected)...)
		}
		for i := range r.in.Overrides {
			o := &r.in.Overrides[i]
			found = append(found, r.unmatched(o.Meta, o.Title(), o.Spec.ResourceSelectors, r.overridden(o))...)
		}
		return slices.Concat(found, r.untainted(), r.unbalanced())
	},
}

// unmatched are the findings about selectors: all of them select nothing, or one that names its object does.
func (r *Review) unmatched(m policy.Meta, title string, selectors []policy.ResourceSelector, selected []*object) []propagate.Finding {
	told := func(s policy.ResourceSelector) bool { // by cluster-scoped, by unrendered-template
		return !m.ClusterWide() && r.unscoped(s) || template.MatchString(s.Name)
	}
	if len(r.misplaced(m, selectors)) > 0 { // by default-namespace
		return nil
	}
	if len(selected) == 0 && !slices.ContainsFunc(selectors, r.selectsImplied) {
		if slices.ContainsFunc(selectors, told) {
			return nil
		}
		return one(m.At("spec.resourceSelectors"), r.hint(selectors), "%s selects no object", title)
	}
	var found []propagate.Finding
	for i, s := range selectors {
		if s.Name != "" && len(r.selectedBy(s)) == 0 && !r.selectsImplied(s) && !told(s) {
			found = append(found, at(m.At(fmt.Sprintf("spec.resourceSelectors[%d]", i)), r.hintFor(s),
				"%s selects %s %q, which is not there", title, s.Kind, s.Name))
		}
	}
	return found
}

// untainted are ClusterTaintPolicies for no cluster. Names that no cluster has are told by unknown-cluster.
func (r *Review) untainted() []propagate.Finding {
	var found []propagate.Finding
	for i := range r.in.TaintPolicies {
		t := &r.in.TaintPolicies[i]
		target := t.Spec.TargetClusters
		if target == nil || len(r.fleet) == 0 || r.strange(*target) || slices.ContainsFunc(r.fleet, func(c fleet.Cluster) bool { return matches(c, *target) }) {
			continue
		}
		found = append(found, at(t.At("spec.targetClusters"), "", "%s targets no cluster", t.Title()))
	}
	return found
}

// unbalanced are the workloads of WorkloadRebalancers that are not there.
func (r *Review) unbalanced() []propagate.Finding {
	var found []propagate.Finding
	for i := range r.in.Rebalancers {
		b := &r.in.Rebalancers[i]
		for j, w := range b.Spec.Workloads {
			s := policy.ResourceSelector{APIVersion: w.APIVersion, Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}
			if len(r.selectedBy(s)) == 0 {
				found = append(found, at(b.At(fmt.Sprintf("spec.workloads[%d]", j)), r.hintFor(s), "%s names %s %q, which is not there", b.Title(), w.Kind, w.Name))
			}
		}
	}
	return found
}

// selectsImplied says whether the selector may select a Namespace that is made for its objects and stands nowhere in Git.
func (r *Review) selectsImplied(s policy.ResourceSelector) bool {
	if kindOf(s) != (schema.GroupKind{Kind: "Namespace"}) {
		return false
	}
	return slices.ContainsFunc(r.objects, func(o *object) bool {
		return len(o.Chosen) > 0 && o.ID.Namespace != "" && (s.Name == "" || s.Name == o.ID.Namespace)
	})
}
