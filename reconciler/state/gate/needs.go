package gate

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/propagate"
)

// Needs has the status fields of live objects that the gates of all rollouts need; only these fields are kept.
type Needs struct {
	conditions []string // by type
	all        bool     // the whole status, for expressions
}

// NeedsOf returns the needs of the gates of a plan.
func NeedsOf(plan *propagate.Plan) Needs {
	var a Needs
	for _, r := range plan.Rollouts() {
		for _, s := range r.Policy.Spec.Stages {
			a.conditions = append(a.conditions, s.Gate.Conditions...)
			if s.Gate.Job != nil {
				a.conditions = append(a.conditions, "Complete", "Failed")
			}
			a.all = a.all || s.Gate.CEL != ""
		}
	}
	slices.Sort(a.conditions)
	a.conditions = slices.Compact(a.conditions)
	return a
}

// More reports whether these need something that others did not: it was not kept.
func (a Needs) More(than Needs) bool {
	return a.all && !than.all || !than.all && slices.ContainsFunc(a.conditions, func(c string) bool { return !slices.Contains(than.conditions, c) })
}

// Of returns the needed part of the status of an object; nil if no field is needed.
func (a Needs) Of(u *unstructured.Unstructured) map[string]any {
	status, _ := u.Object["status"].(map[string]any)
	switch {
	case len(status) == 0 || !a.all && len(a.conditions) == 0:
		return nil
	case a.all:
		return (&unstructured.Unstructured{Object: status}).DeepCopy().Object
	}
	list, _ := status["conditions"].([]any)
	var kept []any
	for _, entry := range list {
		if c, ok := entry.(map[string]any); ok {
			if typ, _ := c["type"].(string); slices.Contains(a.conditions, typ) {
				kept = append(kept, map[string]any{"type": typ, "status": c["status"], "message": c["message"]})
			}
		}
	}
	if kept == nil {
		return nil
	}
	return map[string]any{"conditions": kept}
}
