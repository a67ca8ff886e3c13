package kind

var cronJob = Kind{
	Dependencies: podDependencies(jobTemplateSpec),
	Health:       present(cronJobHealth),
	Reflect:      pick{texts: []string{"lastScheduleTime", "lastSuccessfulTime"}}.reflect,
	Aggregate:    aggregateCronJob,
}

// cronJobHealth: a schedule is in place as soon as it is there; how its runs end is not a matter of the release.
func cronJobHealth(spec, _ map[string]any) (Health, string) {
	if truth(spec, "suspend") {
		return Healthy, "suspended (spec.suspend)"
	}
	return Healthy, ""
}

// aggregateCronJob keeps the latest times (Karmada §6.5). The list of active Jobs is left out: references to
// objects of other clusters resolve to nothing, and grow with the number of clusters.
func aggregateCronJob(answers []Answer) map[string]any {
	total := map[string]any{}
	latest(total, answers, "lastScheduleTime", "lastSuccessfulTime")
	return total
}
