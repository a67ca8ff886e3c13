package kind

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var job = Kind{
	Replicas:     jobReplicas,
	SetReplicas:  func(u *unstructured.Unstructured, n int32) { setSpec(u, "parallelism", n) },
	Requirements: requirements(templateSpec),
	Dependencies: podDependencies(templateSpec),
	Health:       present(jobHealth),
	Reflect: pick{
		counters:   []string{"active", "succeeded", "failed"},
		texts:      []string{"startTime", "completionTime"},
		conditions: []string{"Complete", "Failed"},
	}.reflect,
	Aggregate: aggregateJob,
	// Without manualSelector the API server makes it. The labels that it adds to the template are left alone anyway.
	Yields: []string{"spec.selector"},
}

// jobReplicas is how many pods run at once: the parallelism, and not more than there are completions (Karmada §6.2).
func jobReplicas(u *unstructured.Unstructured) (int32, bool) {
	parallelism := countOr(defaultReplicas, u.Object, "spec", "parallelism")
	return replicasOf(min(parallelism, countOr(parallelism, u.Object, "spec", "completions"))), true
}

// jobHealth: done means Complete. Karmada calls every Job healthy, and kstatus one that has started; but a pipeline
// that waits for a release with a migration in it wants to know that the migration is done.
func jobHealth(spec, status map[string]any) (Health, string) {
	progress := fmt.Sprintf("%d of %d succeeded, %d active, %d failed", count(status, "succeeded"),
		countOr(countOr(defaultReplicas, spec, "parallelism"), spec, "completions"), count(status, "active"), count(status, "failed"))
	switch {
	case holds(status, "Complete"):
		return Healthy, "complete"
	case holds(status, "Failed"):
		return Failed, "failed: " + why(condition(status, "Failed"))
	case truth(spec, "suspend"):
		return Progressing, progress + "; suspended (spec.suspend)"
	}
	return Progressing, progress
}

// aggregateJob is Karmada §6.5: failed as soon as one cluster failed, complete when all are.
func aggregateJob(answers []Answer) map[string]any {
	total := sum(answers, "active", "succeeded", "failed")
	started(total, answers, "startTime")
	ended(total, answers, "completionTime")
	if c := outcome(answers, "Complete"); c != nil {
		total["conditions"] = []any{c}
	}
	return total
}

// outcome is the condition of a job of many clusters that has ended: Failed as soon as one says so, and done when all say
// that; nil before.
func outcome(answers []Answer, done string) map[string]any {
	failed := which(answers, func(a Answer) bool { return holds(a.Status, "Failed") })
	ready := which(answers, func(a Answer) bool { return holds(a.Status, done) })
	switch {
	case len(failed) > 0:
		return verdict("Failed", "True", "JobFailed", "failed in "+names(failed), answers, "Failed")
	case len(answers) > 0 && len(ready) == len(answers):
		return verdict(done, "True", "Completed", fmt.Sprintf("complete in %d of %d clusters", len(ready), len(answers)), answers, done)
	}
	return nil
}
