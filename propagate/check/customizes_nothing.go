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
	Summary:  "a ResourceInterpreterCustomization or a healthCheckExprs entry about a kind that no object has",
	Why: "It is valid and has no effect, and the objects that it was meant for are judged by what is built in. Knowledge may be there before the first " +
		"object is: when no kind in Git is like the one that is named, it is only a note.",
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
		var found []propagate.Finding
		for i := range r.in.Customizations {
			c := &r.in.Customizations[i]
			found = append(found, r.uncustomized(c.At("spec.target"), c.Title(), c.Spec.Target.APIVersion, c.Spec.Target.Kind)...)
		}
		for _, h := range r.in.Health {
			found = append(found, r.uncustomized(h.At, "healthCheckExprs", h.APIVersion, h.Kind)...)
		}
		return found
	},
}

// uncustomized is the finding about a kind that nobody has, and nothing for others.
func (r *Review) uncustomized(place manifest.Origin, title, apiVersion, kind string) []propagate.Finding {
	gk := schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()
	implied := slices.ContainsFunc(r.objects, func(o *object) bool { return o.ID.Namespace != "" }) && gk == (schema.GroupKind{Kind: "Namespace"})
	if len(r.byKind[gk]) > 0 || implied {
		return nil
	}
	hint := r.hintKind(kind)
	found := one(place, hint, "%s is about %s, a kind that no object in Git has", title, gk)
	if hint == "" {
		found[0].Severity = propagate.Note
	}
	return found
}
