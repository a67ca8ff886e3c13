package check

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

var defaultNamespace = Check{
	Code:     "default-namespace",
	Severity: propagate.Warning,
	Summary:  "a namespaced policy without a namespace, which is in \"default\" and selects nothing there",
	Why: "`kubectl apply -n shop` puts such a policy into shop; Git has no `-n`, so it is in default and selects there only. It is not told when the " +
		"policy does select something in default.",
	Fix: "Write `metadata.namespace`.",
	Example: `
kind: PropagationPolicy
metadata: {name: web}                        # and the Deployment is in shop
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]`,
	run: func(r *Review) []propagate.Finding {
		var found []propagate.Finding
		r.eachSelectors(func(m policy.Meta, title string, selectors []policy.ResourceSelector) {
			if spaces := r.misplaced(m, selectors); len(spaces) > 0 {
				fix := "write metadata.namespace"
				if len(spaces) == 1 {
					fix += ": " + spaces[0]
				}
				found = append(found, at(m.At("metadata"), fix, "%s has no namespace, so it is in default and selects nothing there; what it names is in %s",
					title, list(spaces)))
			}
		})
		return found
	},
}

// misplaced are the namespaces that have what a policy selects, when it says none itself and selects nothing in default.
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
