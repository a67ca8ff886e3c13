package gate

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
)

// Needs has the status fields of live objects that the gates of all rollouts need; only these fields are kept.
type Needs bundle.Needs

// NeedsOf returns the needs of the gates of a plan.
func NeedsOf(plan *propagate.Plan) Needs {
	var a Needs
	for _, r := range plan.Rollouts() {
		for _, s := range r.Policy.Spec.Stages {
			a.Conditions = append(a.Conditions, s.Gate.Conditions...)
			if s.Gate.Job != nil {
				a.Conditions = append(a.Conditions, "Complete", "Failed")
			}
			a.WholeStatus = a.WholeStatus || s.Gate.CEL != ""
		}
	}
	slices.Sort(a.Conditions)
	a.Conditions = slices.Compact(a.Conditions)
	return a
}

// More reports whether these need something that others did not: it was not kept.
func (a Needs) More(than Needs) bool {
	return a.WholeStatus && !than.WholeStatus || !than.WholeStatus && slices.ContainsFunc(a.Conditions, func(c string) bool { return !slices.Contains(than.Conditions, c) })
}

// Of returns the needed part of the status of an object; nil if no field is needed.
func (a Needs) Of(u *unstructured.Unstructured) map[string]any {
	status, _ := u.Object["status"].(map[string]any)
	switch {
	case len(status) == 0 || !a.WholeStatus && len(a.Conditions) == 0:
		return nil
	case a.WholeStatus:
		return (&unstructured.Unstructured{Object: status}).DeepCopy().Object
	}
	list, _ := status["conditions"].([]any)
	var kept []any
	for _, entry := range list {
		if c, ok := entry.(map[string]any); ok {
			if typ, _ := c["type"].(string); slices.Contains(a.Conditions, typ) {
				kept = append(kept, map[string]any{"type": typ, "status": c["status"], "message": c["message"]})
			}
		}
	}
	if kept == nil {
		return nil
	}
	return map[string]any{"conditions": kept}
}
