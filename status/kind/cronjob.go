package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var cronJob = Kind{
	Dependencies: podDependencies(jobTemplateSpec),
	Health:       present(cronJobHealth),
	Reflect:      reflectCronJob,
	Aggregate:    aggregateCronJob,
}

// cronJobHealth: a schedule is in place as soon as it is there; how its runs end is not a matter of the release.
func cronJobHealth(spec, _ map[string]any) (Health, string) {
	if truth(spec, "suspend") {
		return Healthy, "suspended (spec.suspend)"
	}
	return Healthy, ""
}

func reflectCronJob(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	if status == nil {
		return nil
	}
	kept := map[string]any{}
	for _, f := range []string{"lastScheduleTime", "lastSuccessfulTime"} {
		if t := text(status, f); t != "" {
			kept[f] = t
		}
	}
	return kept
}

// aggregateCronJob keeps the latest times (Karmada §6.5). The list of active Jobs is left out: references to
// objects of other clusters resolve to nothing, and grow with the number of clusters.
func aggregateCronJob(answers []Answer) map[string]any {
	total := map[string]any{}
	for _, f := range []string{"lastScheduleTime", "lastSuccessfulTime"} {
		latest := ""
		for _, a := range answers {
			latest = max(latest, text(a.Status, f))
		}
		if latest != "" {
			total[f] = latest
		}
	}
	return total
}
