package kind

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// volcanoJob is the Job of Volcano. It has no count: its tasks have one each, and they start together or not at all.
var volcanoJob = Kind{
	Health:    present(volcanoHealth),
	Reflect:   reflectVolcano,
	Aggregate: aggregateVolcano,
}

// volcanoHealth is Karmada §6.14 for what runs and what is done. What waits, or is being stopped, is not there (yet); what
// was terminated has failed.
func volcanoHealth(_, status map[string]any) (Health, string) {
	phase := text(status, "state", "phase")
	message := cmp.Or(phase, "not started")
	if m := cmp.Or(text(status, "state", "message"), text(status, "state", "reason")); m != "" {
		message += ": " + m
	}
	switch phase {
	case "Running", "Completing", "Completed":
		return Healthy, message
	case "Failed", "Terminated":
		return Failed, message
	}
	return Progressing, message
}

// volcanoPhases are the phases, worst first.
func volcanoPhases() []string {
	return []string{"Failed", "Terminated", "Terminating", "Aborted", "Aborting", "Restarting", "Pending", "Running", "Completing", "Completed"}
}

func volcanoCounters() []string {
	return []string{"minAvailable", "pending", "running", "succeeded", "failed", "terminating", "unknown", "retryCount"}
}

// reflectVolcano leaves out the history of phases and the names of what the plugins made: they are of one cluster.
func reflectVolcano(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	kept := pick{counters: append(volcanoCounters(), "version"), texts: []string{"runningDuration"}}.from(status)
	if state := (pick{texts: []string{"phase", "lastTransitionTime"}}).from(object(status, "state")); len(state) > 0 {
		kept["state"] = state
	}
	tasks := map[string]any{}
	for _, task := range some(object(status, "taskStatusCount")) {
		phases := object(status, "taskStatusCount", task, "phase")
		if counted := keepCounters(phases, some(phases)...); len(counted) > 0 {
			tasks[task] = map[string]any{"phase": counted}
		}
	}
	if len(tasks) > 0 {
		kept["taskStatusCount"] = tasks
	}
	return kept
}

// aggregateVolcano is Karmada §6.14 without the clock: the state is as old as the last transition among the clusters.
func aggregateVolcano(answers []Answer) map[string]any {
	total := sum(answers, volcanoCounters()...)
	total["version"] = highest(answers, "version")
	if d := longest(answers, "runningDuration"); d != "" {
		total["runningDuration"] = d
	}
	phase := worst(answers, volcanoPhases(), "Pending", "state", "phase")
	state := map[string]any{"phase": phase, "reason": "VolcanoJob" + phase, "message": phase}
	if in := saying(answers, phase, "state", "phase"); len(in) > 0 {
		state["message"] = phase + " in " + names(in)
	}
	since := ""
	for _, a := range answers {
		since = max(since, text(a.Status, "state", "lastTransitionTime"))
	}
	if since != "" {
		state["lastTransitionTime"] = since
	}
	total["state"] = state
	total["taskStatusCount"] = tasksIn(answers)
	return total
}

// tasksIn adds up, for each task, how many of its pods are in each phase.
func tasksIn(answers []Answer) map[string]any {
	tasks := map[string]any{}
	for _, task := range keysIn(answers, "taskStatusCount") {
		phases := map[string]any{}
		for _, phase := range keysIn(answers, "taskStatusCount", task, "phase") {
			var n int64
			for _, a := range answers {
				n += count(a.Status, "taskStatusCount", task, "phase", phase)
			}
			phases[phase] = n
		}
		tasks[task] = map[string]any{"phase": phases}
	}
	return tasks
}

// longest is the longest duration that some cluster has; one that cannot be read is none.
func longest(answers []Answer, field string) string {
	found, most := "", time.Duration(-1)
	for _, a := range answers {
		s := text(a.Status, field)
		if d, err := time.ParseDuration(s); err == nil && (d > most || d == most && s < found) {
			found, most = s, d
		}
	}
	return found
}
