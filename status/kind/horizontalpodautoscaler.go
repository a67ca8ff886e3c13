package kind

var horizontalPodAutoscaler = Kind{
	Health:    present(autoscalerHealth),
	Reflect:   counters("currentReplicas", "desiredReplicas"),
	Aggregate: summed("currentReplicas", "desiredReplicas"),
}

// autoscalerHealth: it is in place as soon as it is there (Karmada §6.6); that it has no metrics to act on is told.
func autoscalerHealth(_, status map[string]any) (Health, string) {
	for _, typ := range []string{"AbleToScale", "ScalingActive"} {
		if c := condition(status, typ); text(c, "status") == "False" {
			return Healthy, "in place, but not scaling: " + why(c)
		}
	}
	return Healthy, ""
}
