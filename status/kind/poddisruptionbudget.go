package kind

import (
	"fmt"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var podDisruptionBudget = Kind{
	Observes:  true,
	Health:    health.Observed(budgetHealth),
	Reflect:   read.Counters("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed"),
	Aggregate: sum.Summed("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed"),
}

// budgetHealth is Karmada §6.6.
func budgetHealth(_, status map[string]any) (Health, string) {
	current, desired := read.Count(status, "currentHealthy"), read.Count(status, "desiredHealthy")
	message := fmt.Sprintf("%d pods healthy, %d needed", current, desired)
	if current < desired {
		return Progressing, message
	}
	return Healthy, message
}
