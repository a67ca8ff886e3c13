package kind

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// broadcastJob is the Job of Kruise that runs once on every node.
var broadcastJob = Kind{
	Replicas: broadcastReplicas,
	// Karmada writes the 1 that it takes a missing parallelism for, and the job does one node after the other; here it
	// stays without a limit.
	SetReplicas:  func(u *unstructured.Unstructured, n int32) { setSpec(u, "parallelism", n) },
	Requirements: requirements(templateSpec),
	Dependencies: podDependencies(templateSpec),
	Health:       present(broadcastJobHealth),
	Reflect: pick{
		counters:   []string{"active", "succeeded", "failed", "desired"},
		texts:      []string{"phase"},
		conditions: []string{"Complete", "Failed"},
	}.reflect,
	Aggregate: aggregateBroadcastJob,
}

// broadcastReplicas is the parallelism (Karmada §6.9). A percentage of nodes is no count that could be divided.
func broadcastReplicas(u *unstructured.Unstructured) (int32, bool) {
	if _, percentage := at(u.Object, "spec", "parallelism").(string); percentage {
		return 0, false
	}
	return replicasOf(countOr(defaultReplicas, u.Object, "spec", "parallelism")), true
}

// broadcastJobHealth: done means complete, as with a Job, and not, as in Karmada §6.9, already when a pod runs. A job
// that never completes (completionPolicy Never) is done when every node has had its turn.
func broadcastJobHealth(spec, status map[string]any) (Health, string) {
	succeeded, desired, failed := count(status, "succeeded"), count(status, "desired"), count(status, "failed")
	progress := fmt.Sprintf("%d of %d succeeded, %d active, %d failed", succeeded, desired, count(status, "active"), failed)
	never := text(spec, "completionPolicy", "type") == "Never"
	switch {
	case holds(status, "Failed"):
		return Failed, "failed: " + why(condition(status, "Failed"))
	case text(status, "phase") == "failed", holds(status, "Complete") && failed > 0:
		return Failed, "failed: " + progress
	case holds(status, "Complete"):
		return Healthy, "complete"
	case never && desired > 0 && succeeded >= desired:
		return Healthy, progress
	case truth(spec, "paused"):
		return Progressing, progress + "; paused (spec.paused)"
	}
	return Progressing, progress
}

// aggregateBroadcastJob is Karmada §6.9, each cluster on its own: failed as soon as one failed, complete when all are.
// The condition that Karmada calls Completed has the name that the kind gives it.
func aggregateBroadcastJob(answers []Answer) map[string]any {
	total := sum(answers, "active", "succeeded", "failed", "desired")
	total["phase"] = worst(answers, broadcastPhases(), "", "phase")
	if c := outcome(answers, "Complete"); c != nil {
		total["conditions"] = []any{c}
	}
	return total
}

// broadcastPhases are the phases, worst first; a cluster that has not said anything counts as one that has not begun.
func broadcastPhases() []string { return []string{"failed", "paused", "", "running", "completed"} }
