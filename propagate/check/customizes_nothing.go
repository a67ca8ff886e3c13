package check

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var customizesNothing = Check{
	Code:     "customizes-nothing",
	Severity: propagate.Warning,
	Summary:  "a ResourceInterpreterCustomization or a healthCheckExprs entry for a kind that no object has",
	Why: "The customization is valid and has no effect; accord uses its built-in rules for the objects you meant. You may also add a " +
		"customization before the first object: the finding is only a note if no kind in Git has a similar name.",
	Fix: "Write group and kind as the objects have them; the version does not matter.",
	Example: `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: rollout}
spec:
  target: {apiVersion: argoproj.io/v1alpha1, kind: Rollouts}   # the objects are of kind Rollout
  customizations:
    healthInterpretation:
      luaScript: |
        function InterpretHealth(obj)
          return obj.status ~= nil and obj.status.phase == "Healthy"
        end`,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for i := range r.in.Customizations {
			c := &r.in.Customizations[i]
			findings = append(findings, r.uncustomized(c.At("spec.target"), c.Title(), c.Spec.Target.APIVersion, c.Spec.Target.Kind)...)
		}
		for _, h := range r.in.Health {
			findings = append(findings, r.uncustomized(h.At, "healthCheckExprs", h.APIVersion, h.Kind)...)
		}
		return findings
	},
}

// uncustomized returns the finding about a kind without objects; none for other kinds.
func (r *Review) uncustomized(place manifest.Origin, title, apiVersion, kind string) []propagate.Finding {
	gk := schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()
	implied := slices.ContainsFunc(r.objects, func(o *object) bool { return o.ID.Namespace != "" }) && gk == (schema.GroupKind{Kind: "Namespace"})
	if len(r.byKind()[gk]) > 0 || implied {
		return nil
	}
	hint := r.hintKind(kind)
	findings := one(place, hint, "%s customizes %s, and Git has no object of this kind", title, gk)
	if hint == "" {
		findings[0].Severity = propagate.Note
	}
	return findings
}
