package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// kyvernoPolicy is the Policy and the ClusterPolicy of Kyverno.
var kyvernoPolicy = Kind{
	Health:    present(kyvernoHealth),
	Reflect:   reflectKyverno,
	Aggregate: aggregateKyverno,
}

// kyvernoHealth is Karmada §6.12: what status.ready says, or, in versions without it, the Ready condition.
func kyvernoHealth(_, status map[string]any) (Health, string) {
	c := condition(status, "Ready")
	is, said := at(status, "ready").(bool)
	switch {
	case said && is, !said && text(c, "status") == "True":
		return Healthy, why(c)
	case why(c) != "":
		return Progressing, "not ready: " + why(c)
	}
	return Progressing, "not ready"
}

// kyvernoRules are the kinds of rules that a policy counts.
func kyvernoRules() []string { return []string{"validate", "generate", "mutate", "verifyimages"} }

// reflectKyverno leaves out the rules that Kyverno derives from those of the spec (autogen): they are the same
// everywhere, and longer than the policy.
func reflectKyverno(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	kept := pick{conditions: []string{"Ready"}}.from(status)
	if is, said := at(status, "ready").(bool); said {
		kept["ready"] = is
	}
	if rules := keepCounters(object(status, "rulecount"), kyvernoRules()...); len(rules) > 0 {
		kept["rulecount"] = rules
	}
	return kept
}

// aggregateKyverno is Karmada §6.12; it is ready when it is in every cluster.
func aggregateKyverno(answers []Answer) map[string]any {
	rules := map[string]any{}
	for _, rule := range kyvernoRules() {
		var n int64
		for _, a := range answers {
			n += count(a.Status, "rulecount", rule)
		}
		rules[rule] = n
	}
	ready := which(answers, func(a Answer) bool { return a.Current && (truth(a.Status, "ready") || holds(a.Status, "Ready")) })
	return map[string]any{
		"rulecount":  rules,
		"ready":      len(answers) > 0 && len(ready) == len(answers),
		"conditions": merge(answers, "True", "Ready"),
	}
}
