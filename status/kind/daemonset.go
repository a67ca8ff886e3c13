package kind

import "fmt"

var daemonSet = Kind{
	Dependencies: podDependencies(templateSpec),
	Observes:     true,
	Health:       observed(daemonSetHealth),
	Reflect: counters("currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
		"numberReady", "updatedNumberScheduled", "numberUnavailable"),
	Aggregate: aggregateDaemonSet,
}

// daemonSetHealth is Karmada §6.6; with OnDelete nobody but a person updates pods (see statefulSetHealth).
func daemonSetHealth(spec, status map[string]any) (Health, string) {
	want := count(status, "desiredNumberScheduled")
	updated, available := count(status, "updatedNumberScheduled"), count(status, "numberAvailable")
	onDelete := text(spec, "updateStrategy", "type") == "OnDelete"
	switch {
	case available < want, updated < want && !onDelete:
		return Progressing, fmt.Sprintf("%d of %d updated, %d of %d available", updated, want, available, want)
	case updated < want:
		return Healthy, fmt.Sprintf("%d of %d available; %d run an older revision until their pods are deleted (OnDelete)", available, want, want-updated)
	case want == 0:
		return Healthy, "no node is eligible"
	}
	return Healthy, fmt.Sprintf("%d of %d available", available, want)
}

// aggregateDaemonSet is Karmada §6.5; updatedNumberScheduled counts only clusters that run what was decided.
func aggregateDaemonSet(answers []Answer) map[string]any {
	total := sum(answers, "currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
		"numberReady", "numberUnavailable")
	total["updatedNumberScheduled"] = sumCurrent(answers, "updatedNumberScheduled")
	return total
}
