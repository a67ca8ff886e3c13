package check

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
)

var wideSelector = Check{
	Code:     "wide-selector",
	Severity: propagate.Warning,
	Summary:  "a selector for every object of a kind in all namespaces",
	Why: "A cluster-wide policy with a selector that has neither `name`, `namespace` nor `labelSelector` also selects every object " +
		"added later. For Secrets this is a warning: credentials of one team go to the clusters of all. For other kinds it is a " +
		"note, from 100 copies on. The same note applies to a ClusterOverridePolicy without `resourceSelectors`, which changes " +
		"every object.",
	Fix: "Select by name, namespace or label, or use a PropagationPolicy in each namespace.",
	Example: `
kind: ClusterPropagationPolicy
metadata: {name: secrets}
spec:
  resourceSelectors: [{apiVersion: v1, kind: Secret}]`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, p := range r.in.Policies {
			for j, s := range p.Spec.ResourceSelectors {
				won := those(r.selectedBy(s), func(o *object) bool { return o.Policy != nil && o.Policy.Title() == p.Title() })
				findings = append(findings, r.wide(p.Meta, p.Title(), j, s, won)...)
			}
		}
		for _, o := range r.in.Overrides {
			for j, s := range o.Spec.ResourceSelectors {
				findings = append(findings, r.wide(o.Meta, o.Title(), j, s, r.selectedBy(s))...)
			}
			if n := copies(r.objects); len(o.Spec.ResourceSelectors) == 0 && o.ClusterWide() && n >= manyCopies {
				f := at(o.Origin, "write spec.resourceSelectors", "%s has no resourceSelectors: it changes every object, %s", o.Title(), reach(r.objects))
				f.Severity = propagate.Note
				findings = append(findings, f)
			}
		}
		return findings
	},
}

// manyCopies is the number of objects, counted once for each cluster, from which a selector is wide.
const manyCopies = 100

// wide returns the finding about one selector with the objects that it gets.
func (r *Review) wide(m policy.Meta, title string, i int, s policy.ResourceSelector, objects []*object) []propagate.Finding {
	open := m.ClusterWide() && s.Namespace == "" && s.Name == "" &&
		(s.LabelSelector == nil || len(s.LabelSelector.MatchLabels)+len(s.LabelSelector.MatchExpressions) == 0)
	secret := kindOf(s) == schema.GroupKind{Kind: "Secret"}
	if !open || len(objects) == 0 || objects[0].ID.Namespace == "" || !secret && copies(objects) < manyCopies {
		return nil
	}
	f := at(m.At(fmt.Sprintf("spec.resourceSelectors[%d]", i)), "select by name, namespace or label",
		"%s selects every %s in all namespaces: %s", title, s.Kind, reach(objects))
	if !secret {
		f.Severity = propagate.Note
	}
	return []propagate.Finding{f}
}

// copies counts objects once for each of their clusters.
func copies(objects []*object) int {
	n := 0
	for _, o := range objects {
		n += len(o.Chosen)
	}
	return n
}

// reach returns "40 objects, 320 copies on clusters".
func reach(objects []*object) string {
	n := copies(objects)
	if n == 1 {
		return phrase.Count(len(objects), "object") + ", 1 copy on a cluster"
	}
	return fmt.Sprintf("%s, %s on clusters", phrase.Count(len(objects), "object"), phrase.Count(n, "copy"))
}
