package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var horizontalPodAutoscaler = Kind{
	Health:    health.Present(autoscalerHealth),
	Reflect:   read.Counters("currentReplicas", "desiredReplicas"),
	Aggregate: sum.Summed("currentReplicas", "desiredReplicas"),
}

// autoscalerHealth: it is healthy as soon as it exists (Karmada §6.6); the message reports missing metrics.
func autoscalerHealth(_, status map[string]any) (Health, string) {
	for _, typ := range []string{"AbleToScale", "ScalingActive"} {
		if c := read.Condition(status, typ); read.Text(c, "status") == "False" {
			return Healthy, "in place, but not scaling: " + read.Why(c)
		}
	}
	return Healthy, ""
}
