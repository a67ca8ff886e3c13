package kind

import "fmt"

var podDisruptionBudget = Kind{
	Observes:  true,
	Health:    observed(budgetHealth),
	Reflect:   counters("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed"),
	Aggregate: summed("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed"),
}

// budgetHealth is Karmada §6.6.
func budgetHealth(_, status map[string]any) (Health, string) {
	current, desired := count(status, "currentHealthy"), count(status, "desiredHealthy")
	message := fmt.Sprintf("%d pods healthy, %d needed", current, desired)
	if current < desired {
		return Progressing, message
	}
	return Healthy, message
}
