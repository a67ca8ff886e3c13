package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var cronJob = Kind{
	Dependencies: pods.Dependencies(pods.JobTemplateSpec),
	Health:       health.Present(cronJobHealth),
	Reflect:      read.Pick{Texts: []string{"lastScheduleTime", "lastSuccessfulTime"}}.Reflect,
	Aggregate:    aggregateCronJob,
}

// cronJobHealth: a schedule is healthy as soon as it exists; the results of its runs do not concern the release.
func cronJobHealth(spec, _ map[string]any) (Health, string) {
	if read.Bool(spec, "suspend") {
		return Healthy, "suspended (spec.suspend)"
	}
	return Healthy, ""
}

// aggregateCronJob keeps the latest times (Karmada §6.5). It omits the list of active Jobs: references to objects of
// other clusters resolve to nothing, and grow with the number of clusters.
func aggregateCronJob(answers []Answer) map[string]any {
	total := map[string]any{}
	sum.Latest(total, answers, "lastScheduleTime", "lastSuccessfulTime")
	return total
}
