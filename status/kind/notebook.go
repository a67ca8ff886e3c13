package kind

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// notebook is that of Kubeflow: one pod, as a Pod is.
var notebook = Kind{
	Replicas:     func(*unstructured.Unstructured) (int32, bool) { return 1, true },
	Requirements: requirements(templateSpec),
	Health:       present(notebookHealth),
	Reflect:      reflectNotebook,
	Aggregate:    aggregateNotebook,
}

// notebookHealth is Karmada §6.16, but a container that is only being made is not there yet.
func notebookHealth(_, status map[string]any) (Health, string) {
	state := object(status, "containerState")
	waiting, ended := object(state, "waiting"), object(state, "terminated")
	switch {
	case object(state, "running") != nil:
		return Healthy, "running"
	case crashed(ended):
		return Failed, "ended with an error: " + cmp.Or(why(ended), fmt.Sprintf("exit code %d", count(ended, "exitCode")))
	case ended != nil:
		return Healthy, "ended"
	case text(waiting, "reason") == "CrashLoopBackOff":
		return Failed, "keeps crashing: " + why(waiting)
	case waiting != nil:
		return Progressing, "waits: " + why(waiting)
	}
	return Progressing, "not started"
}

// crashed says whether a container ended in error.
func crashed(terminated map[string]any) bool {
	switch text(terminated, "reason") {
	case "Error", "OOMKilled", "ContainerCannotRun":
		return true
	}
	return count(terminated, "exitCode") != 0
}

// reflectNotebook keeps of the container's state what it is and since when, and no message.
func reflectNotebook(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	kept := keepCounters(status, "readyReplicas")
	for _, state := range []string{"running", "waiting", "terminated"} {
		if s := object(status, "containerState", state); s != nil {
			small := pick{counters: []string{"exitCode"}, texts: []string{"reason", "startedAt", "finishedAt"}}.from(s)
			kept["containerState"] = map[string]any{state: small}
			break
		}
	}
	return kept
}

// aggregateNotebook is Karmada §6.16 without the clock: the container's state is the worst, and one condition says where
// it is well and where not.
func aggregateNotebook(answers []Answer) map[string]any {
	total := sum(answers, "readyReplicas")
	running := which(answers, func(a Answer) bool { return object(a.Status, "containerState", "running") != nil })
	failed := which(answers, func(a Answer) bool { return crashed(object(a.Status, "containerState", "terminated")) })
	message := fmt.Sprintf("running in %d of %d clusters", len(running), len(answers))
	c := map[string]any{"type": "Ready", "status": "False", "reason": "Waiting", "message": message}
	state := map[string]any{"waiting": map[string]any{"reason": "Waiting", "message": message}}
	switch {
	case len(failed) > 0:
		message += "; failed in " + names(failed)
		c["reason"], c["message"] = "Failed", message
		code := cmp.Or(highest(answers, "containerState", "terminated", "exitCode"), 1)
		state = map[string]any{"terminated": map[string]any{"reason": "Error", "exitCode": code, "message": message}}
	case len(answers) > 0 && len(running) == len(answers):
		c["status"], c["reason"] = "True", "Running"
		state = map[string]any{"running": lastStart(answers)}
	}
	total["conditions"], total["containerState"] = []any{c}, state
	return total
}

// lastStart is since when it runs in all clusters.
func lastStart(answers []Answer) map[string]any {
	last := ""
	for _, a := range answers {
		last = max(last, text(a.Status, "containerState", "running", "startedAt"))
	}
	if last == "" {
		return map[string]any{}
	}
	return map[string]any{"startedAt": last}
}
