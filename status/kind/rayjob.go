package kind

import (
	"cmp"
	"fmt"
)

var rayJob = Kind{
	Dependencies: rayDependencies([]string{"spec", "rayClusterSpec"}, "spec", "submitterPodTemplate", "spec"),
	Health:       present(rayJobHealth),
	Reflect:      pick{texts: []string{"jobDeploymentStatus", "jobStatus", "reason"}}.reflect,
	Aggregate:    aggregateRayJob,
}

// rayJobHealth is Karmada §6.15: it is as it should be while it runs and when it has succeeded.
func rayJobHealth(spec, status map[string]any) (Health, string) {
	deployment, job := text(status, "jobDeploymentStatus"), text(status, "jobStatus")
	message := cmp.Or(deployment, "not started")
	if job != "" {
		message += " (" + job + ")"
	}
	if m := cmp.Or(text(status, "message"), text(status, "reason")); m != "" {
		message += ": " + m
	}
	if truth(spec, "suspend") {
		message += "; suspended (spec.suspend)"
	}
	switch {
	case deployment == "Running", deployment == "Complete" && job == "SUCCEEDED":
		return Healthy, message
	case deployment == "Complete", deployment == "Failed", deployment == "ValidationFailed":
		return Failed, message
	}
	return Progressing, message
}

// aggregateRayJob is the worst of the clusters: failed as soon as one failed, complete when all are. Karmada §6.15 ranks
// what is complete above what still runs, so that one cluster's success hides the others.
func aggregateRayJob(answers []Answer) map[string]any {
	deployment := worst(answers, []string{"Failed", "ValidationFailed", "", "Initializing", "Waiting", "Suspending", "Suspended", "Retrying", "Running", "Complete"},
		"", "jobDeploymentStatus")
	total := map[string]any{
		"jobDeploymentStatus": deployment,
		"jobStatus":           worst(answers, []string{"FAILED", "STOPPED", "", "PENDING", "RUNNING", "SUCCEEDED"}, "", "jobStatus"),
	}
	if deployment == "" {
		return total
	}
	in := saying(answers, deployment, "jobDeploymentStatus")
	total["message"] = fmt.Sprintf("%s in %d of %d clusters: %s", deployment, len(in), len(answers), names(in))
	if deployment == "Failed" || deployment == "ValidationFailed" {
		total["reason"] = mostCommon(reasonsIn(answers, deployment))
	}
	return total
}

// reasonsIn are the reasons of the clusters that say a word.
func reasonsIn(answers []Answer, deployment string) []string {
	var reasons []string
	for _, a := range answers {
		if text(a.Status, "jobDeploymentStatus") == deployment {
			reasons = append(reasons, text(a.Status, "reason"))
		}
	}
	return reasons
}
