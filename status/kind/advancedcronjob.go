package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// advancedCronJob is the CronJob of Kruise: of Jobs or of BroadcastJobs.
var advancedCronJob = Kind{
	Dependencies: podDependencies(advancedJobSpec),
	Health:       present(advancedCronJobHealth),
	Reflect:      pick{texts: []string{"type", "lastScheduleTime"}}.reflect,
	Aggregate:    aggregateAdvancedCronJob,
}

// advancedJobSpec is the pod spec of the Jobs, or, if it has both, of the BroadcastJobs (Karmada §6.9).
func advancedJobSpec(u *unstructured.Unstructured) map[string]any {
	for _, t := range []string{"broadcastJobTemplate", "jobTemplate"} {
		if spec := object(u.Object, "spec", "template", t, "spec", "template", "spec"); spec != nil {
			return spec
		}
	}
	return nil
}

// advancedCronJobHealth is that of a CronJob.
func advancedCronJobHealth(spec, _ map[string]any) (Health, string) {
	if truth(spec, "paused") {
		return Healthy, "paused (spec.paused)"
	}
	return Healthy, ""
}

// aggregateAdvancedCronJob is Karmada §6.9 without the list of active Jobs (see aggregateCronJob).
func aggregateAdvancedCronJob(answers []Answer) map[string]any {
	total := map[string]any{}
	agree(total, answers, "type")
	latest(total, answers, "lastScheduleTime")
	return total
}
