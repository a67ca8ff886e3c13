package reconciler

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// asks is what the gates of all rollouts ask of live objects: that much of their status is kept, and nothing where nothing
// is asked.
type asks struct {
	// conditions by type.
	conditions []string
	// all of the status, for expressions.
	all bool
}

// asksOf a plan.
func asksOf(plan *propagate.Plan) asks {
	var a asks
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

// more says that these ask for something that others did not: it was not kept.
func (a asks) more(than asks) bool {
	return a.all && !than.all || !than.all && slices.ContainsFunc(a.conditions, func(c string) bool { return !slices.Contains(than.conditions, c) })
}

// of is what is kept of the status of an object; nil when nothing is asked.
func (a asks) of(u *unstructured.Unstructured) map[string]any {
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

// asksMore takes over what the gates of the plan in force ask, and says whether that is more than was kept of what was
// seen.
func (f *federation) asksMore() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.staging.asks
	f.staging.asks = asksOf(f.plan)
	return f.staging.asks.more(before)
}

// answers is what is kept of the status of an object for gates.
func (o observer) answers(u *unstructured.Unstructured) map[string]any {
	f := o.bulkhead.engine.federation(o.key)
	if f == nil {
		return nil
	}
	f.mu.Lock()
	asks := f.staging.asks
	f.mu.Unlock()
	return asks.of(u)
}

// answer keeps what an object says to gates.
func (l *leg) answer(id manifest.ID, answers map[string]any) {
	switch {
	case answers == nil:
		delete(l.answers, id)
	case l.answers == nil:
		l.answers = map[manifest.ID]map[string]any{id: answers}
	default:
		l.answers[id] = answers
	}
}
