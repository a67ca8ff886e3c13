package check

import (
	"fmt"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/scope"
)

var clusterScoped = Check{
	Code:     "cluster-scoped",
	Severity: propagate.Error,
	Summary:  "a namespaced policy that selects a kind without namespace",
	Why: "A policy in a namespace selects objects of its namespace only. Namespaces, ClusterRoles and CustomResourceDefinitions have " +
		"no namespace, so the policy can never select one.",
	Fix: "Write a ClusterPropagationPolicy or a ClusterOverridePolicy for these kinds.",
	Example: `
kind: PropagationPolicy
metadata: {name: roles, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		r.eachSelectors(func(m policy.Meta, title string, selectors []policy.ResourceSelector) {
			for i, s := range selectors {
				if !m.ClusterWide() && r.unscoped(s) {
					fix := "select it in a cluster-wide policy"
					if s.Kind == "Namespace" {
						fix = "remove it: a namespace goes where its objects go"
					}
					findings = append(findings, at(m.At(fmt.Sprintf("spec.resourceSelectors[%d]", i)), fix,
						"%s selects %s, which has no namespace: a namespaced policy cannot select it", title, s.Kind))
				}
			}
		})
		return findings
	},
}

// unscoped reports whether the kind is known to have no namespace.
func (r *Review) unscoped(s policy.ResourceSelector) bool {
	return r.scope.Scope(kindOf(s)) == scope.Cluster
}

// eachSelectors visits the selectors of every policy and override.
func (r *Review) eachSelectors(visit func(m policy.Meta, title string, selectors []policy.ResourceSelector)) {
	for _, p := range r.in.Policies {
		visit(p.Meta, p.Title(), p.Spec.ResourceSelectors)
	}
	for _, o := range r.in.Overrides {
		visit(o.Meta, o.Title(), o.Spec.ResourceSelectors)
	}
}
