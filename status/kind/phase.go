package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// keepPhase is the Reflect of a kind that says how it is in one word.
func keepPhase(u *unstructured.Unstructured) map[string]any {
	if p := text(statusOf(u), "phase"); p != "" {
		return map[string]any{"phase": p}
	}
	return nil
}

// worstPhase aggregates phases: the first in the list that some cluster is in. A cluster without an answer, and a
// phase that is not in the list, count as "Pending"; so does no cluster at all.
func worstPhase(order ...string) func([]Answer) map[string]any {
	return func(answers []Answer) map[string]any {
		return map[string]any{"phase": worst(answers, order, "Pending", "phase")}
	}
}
