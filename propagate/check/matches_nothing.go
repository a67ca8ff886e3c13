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
	Summary: "a policy or an override that selects no object, or names a missing one; the same for clusters to taint and workloads to " +
		"rebalance",
	Why: "A selector with a wrong name, group or namespace is valid and has no effect, and Karmada does not report it. The finding " +
		"names the nearest existing object, if there is a similar one.",
	Fix: "Correct the selector, or remove the policy of a deleted object. The group in `apiVersion` must match, the version does not " +
		"matter.",
	Example: `
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: frontnd}]   # there is "frontend"`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			findings = append(findings, r.unmatched(p.Meta, p.Title(), p.Spec.ResourceSelectors, r.selected(p.Spec.ResourceSelectors))...)
		}
		for _, o := range r.in.Overrides {
			findings = append(findings, r.unmatched(o.Meta, o.Title(), o.Spec.ResourceSelectors, r.overridden(o))...)
		}
		return slices.Concat(findings, r.untainted(), r.unbalanced())
	},
}

// unmatched returns the findings about selectors: all of them select nothing, or one with a name does.
func (r *Review) unmatched(m policy.Meta, title string, selectors []policy.ResourceSelector, selected []*object) []propagate.Finding {
	reported := func(s policy.ResourceSelector) bool { // by cluster-scoped, by unrendered-template
		return !m.ClusterWide() && r.unscoped(s) || template.MatchString(s.Name)
	}
	if len(r.misplaced(m, selectors)) > 0 { // reported by default-namespace
		return nil
	}
	if len(selected) == 0 && !slices.ContainsFunc(selectors, r.selectsImplied) {
		if slices.ContainsFunc(selectors, reported) {
			return nil
		}
		return one(m.At("spec.resourceSelectors"), r.hint(selectors), "%s selects no object", title)
	}
	var findings []propagate.Finding
	for i, s := range selectors {
		if s.Name != "" && len(r.selectedBy(s)) == 0 && !r.selectsImplied(s) && !reported(s) {
			findings = append(findings, at(m.At(fmt.Sprintf("spec.resourceSelectors[%d]", i)), r.hintFor(s),
				"%s selects %s %q, which does not exist", title, s.Kind, s.Name))
		}
	}
	return findings
}

// untainted returns findings about ClusterTaintPolicies for no cluster. unknown-cluster reports unknown names.
func (r *Review) untainted() []propagate.Finding {
	var findings []propagate.Finding
	for i := range r.in.TaintPolicies {
		t := &r.in.TaintPolicies[i]
		target := t.Spec.TargetClusters
		if target == nil || len(r.fleet) == 0 || r.namesUnknownCluster(*target) || slices.ContainsFunc(r.fleet, func(c fleet.Cluster) bool { return matches(c, *target) }) {
			continue
		}
		findings = append(findings, at(t.At("spec.targetClusters"), "", "%s targets no cluster", t.Title()))
	}
	return findings
}

// unbalanced returns findings about missing workloads of WorkloadRebalancers.
func (r *Review) unbalanced() []propagate.Finding {
	var findings []propagate.Finding
	for i := range r.in.Rebalancers {
		b := &r.in.Rebalancers[i]
		for j, w := range b.Spec.Workloads {
			s := policy.ResourceSelector{APIVersion: w.APIVersion, Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}
			if len(r.selectedBy(s)) == 0 {
				findings = append(findings, at(b.At(fmt.Sprintf("spec.workloads[%d]", j)), r.hintFor(s), "%s names %s %q, which does not exist", b.Title(), w.Kind, w.Name))
			}
		}
	}
	return findings
}

// selectsImplied reports whether the selector may select an implied Namespace that is not in Git.
func (r *Review) selectsImplied(s policy.ResourceSelector) bool {
	if kindOf(s) != (schema.GroupKind{Kind: "Namespace"}) {
		return false
	}
	return slices.ContainsFunc(r.objects, func(o *object) bool {
		return len(o.Chosen) > 0 && o.ID.Namespace != "" && (s.Name == "" || s.Name == o.ID.Namespace)
	})
}
