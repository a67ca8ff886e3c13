package kind

import "fmt"

// sidecarSet puts containers into pods of others. It has no count: Karmada's is always 0 (§6.9). Dependencies has none
// either: what its containers refer to lies in the namespaces of those pods, and it is in no namespace itself.
var sidecarSet = Kind{
	Observes: true,
	Health:   observed(sidecarSetHealth),
	Reflect:  counters("matchedPods", "updatedPods", "readyPods"),
	Aggregate: func(answers []Answer) map[string]any {
		total := sum(answers, "matchedPods", "readyPods")
		total["updatedPods"] = sumCurrent(answers, "updatedPods")
		return total
	},
}

// sidecarSetHealth is Karmada §6.9, and pods that its strategy leaves alone are not waited for.
func sidecarSetHealth(spec, status map[string]any) (Health, string) {
	matched, updated := count(status, "matchedPods"), count(status, "updatedPods")
	strategy := object(spec, "updateStrategy")
	message := fmt.Sprintf("%d of %d pods updated", updated, matched)
	switch {
	case text(strategy, "type") == "NotUpdate":
		return Healthy, message + "; only new pods are (NotUpdate)"
	case strategy["selector"] != nil:
		return Healthy, message + "; only selected pods are (spec.updateStrategy.selector)"
	case updated >= matched:
		return Healthy, message
	case truth(strategy, "paused"):
		return Progressing, message + "; paused (spec.updateStrategy.paused)"
	case updated >= matched-portion(strategy["partition"], matched):
		return Healthy, fmt.Sprintf("%s; %d %s", message, matched-updated, partitioned)
	}
	return Progressing, message
}
