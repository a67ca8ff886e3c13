package check

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var defaultNamespace = Check{
	Code:     "default-namespace",
	Severity: propagate.Warning,
	Summary:  "a namespaced policy without a namespace, which is in \"default\" and selects nothing there",
	Why: "`kubectl apply -n shop` creates such a policy in shop. Git has no `-n`, so the policy is in default and selects objects " +
		"there only. There is no finding if the policy selects an object in default.",
	Fix: "Write `metadata.namespace`.",
	Example: `
kind: PropagationPolicy
metadata: {name: web}                        # and the Deployment is in shop
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		r.eachSelectors(func(m policy.Meta, title string, selectors []policy.ResourceSelector) {
			if spaces := r.misplaced(m, selectors); len(spaces) > 0 {
				fix := "write metadata.namespace"
				if len(spaces) == 1 {
					fix += ": " + spaces[0]
				}
				findings = append(findings, at(m.At("metadata"), fix, "%s has no namespace, so it is in default and selects nothing there; the objects are in %s",
					title, phrase.And(spaces, named)))
			}
		})
		return findings
	},
}

// misplaced returns the namespaces with objects that a policy selects, if it names no namespace and selects nothing in
// default.
func (r *Review) misplaced(m policy.Meta, selectors []policy.ResourceSelector) []string {
	if _, written := m.Lines["metadata.namespace"]; written || m.Namespace != policy.DefaultNamespace || len(m.Lines) == 0 {
		return nil
	}
	spaces := map[string]bool{}
	for _, s := range selectors {
		if len(r.selectedBy(s)) > 0 {
			return nil
		}
		s.Namespace = ""
		for _, o := range r.selectedBy(s) {
			if o.ID.Namespace != "" {
				spaces[o.ID.Namespace] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(spaces))
}
