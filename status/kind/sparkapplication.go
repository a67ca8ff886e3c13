package kind

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sparkApplication has no count: its driver and its executors have one each.
var sparkApplication = Kind{
	Health:    present(sparkHealth),
	Reflect:   reflectSpark,
	Aggregate: aggregateSpark,
}

// sparkStates are the states of an application, worst first; that of a new one is empty.
func sparkStates() []string {
	return []string{"FAILED", "SUBMISSION_FAILED", "FAILING", "INVALIDATING", "UNKNOWN", "", "PENDING_SUBMISSION", "SUBMITTED", "PENDING_RERUN",
		"SUSPENDING", "SUSPENDED", "RESUMING", "RUNNING", "SUCCEEDING", "COMPLETED"}
}

// sparkHealth: it is as it should be while it runs and when it is complete. Of what Karmada §6.16 calls healthy, a
// submission that failed is tried again, and what waits is not there yet.
func sparkHealth(spec, status map[string]any) (Health, string) {
	state := text(status, "applicationState", "state")
	message := cmp.Or(state, "not started")
	if m := text(status, "applicationState", "errorMessage"); m != "" {
		message += ": " + m
	}
	if truth(spec, "suspend") {
		message += "; suspended (spec.suspend)"
	}
	switch state {
	case "RUNNING", "SUCCEEDING", "COMPLETED":
		return Healthy, message
	case "FAILED":
		return Failed, message
	}
	return Progressing, message
}

// reflectSpark leaves out the executors: their names are of one cluster, and there are hundreds.
func reflectSpark(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	kept := pick{
		counters: []string{"executionAttempts", "submissionAttempts"},
		texts:    []string{"lastSubmissionAttemptTime", "terminationTime"},
	}.from(status)
	if state := text(status, "applicationState", "state"); state != "" {
		kept["applicationState"] = map[string]any{"state": state}
	}
	return kept
}

// aggregateSpark is the worst state: failed as soon as one cluster failed, complete when all are (see aggregateRayJob).
func aggregateSpark(answers []Answer) map[string]any {
	total := sum(answers, "executionAttempts", "submissionAttempts")
	latest(total, answers, "lastSubmissionAttemptTime")
	ended(total, answers, "terminationTime")
	state := map[string]any{"state": worst(answers, sparkStates(), "", "applicationState", "state")}
	if failed := which(answers, func(a Answer) bool { return sparkFailed(text(a.Status, "applicationState", "state")) }); len(failed) > 0 {
		state["errorMessage"] = "failed in " + names(failed)
	}
	total["applicationState"] = state
	total["driverInfo"] = map[string]any{} // required, and there are as many drivers as clusters
	return total
}

// sparkFailed says whether a state is one of failure, for good or not.
func sparkFailed(state string) bool {
	return state == "FAILED" || state == "SUBMISSION_FAILED" || state == "FAILING"
}
