package kind

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
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
	Yields:    []string{"spec.selector"},
	Immutable: jobImmutable,
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

// jobImmutable is all that shapes its pods. The template of a Job that is suspended, and so has not begun, may change where
// its pods run and what they request; the completions of an indexed one change together with its parallelism.
func jobImmutable(before, after *unstructured.Unstructured) []string {
	changed := fixed{
		"spec.backoffLimitPerIndex": nil, "spec.completionMode": "NonIndexed", "spec.managedBy": nil, "spec.podFailurePolicy": nil,
		"spec.selector": nil, "spec.successPolicy": nil,
	}.changed(before, after)
	if !elastic(after) && !same(completions(before), completions(after)) {
		changed = append(changed, "spec.completions")
	}
	strip := func(*corev1.PodTemplateSpec) {}
	if truth(before.Object, "spec", "suspend") {
		strip = withoutPlacement
	}
	if !samePods(template(before), template(after), strip) {
		changed = append(changed, "spec.template")
	}
	slices.Sort(changed)
	return changed
}

// elastic is an indexed Job with as many completions as pods at once.
func elastic(u *unstructured.Unstructured) bool {
	return text(u.Object, "spec", "completionMode") == "Indexed" &&
		same(at(u.Object, "spec", "completions"), at(u.Object, "spec", "parallelism"))
}

// completions without both of the fields are 1; with a parallelism only there are none, and the Job is a work queue.
func completions(u *unstructured.Unstructured) any {
	if at(u.Object, "spec", "parallelism") == nil && at(u.Object, "spec", "completions") == nil {
		return int64(1)
	}
	return at(u.Object, "spec", "completions")
}

// withoutPlacement takes away what may change while a Job is suspended (KEP-2926, KEP-5440).
func withoutPlacement(t *corev1.PodTemplateSpec) {
	t.Labels, t.Annotations = nil, nil
	t.Spec.NodeSelector, t.Spec.Tolerations, t.Spec.SchedulingGates = nil, nil, nil
	if affinity := t.Spec.Affinity; affinity != nil {
		affinity.NodeAffinity = nil
		if *affinity == (corev1.Affinity{}) {
			t.Spec.Affinity = nil
		}
	}
	for _, list := range [][]corev1.Container{t.Spec.InitContainers, t.Spec.Containers} {
		for i := range list {
			list[i].Resources = corev1.ResourceRequirements{}
		}
	}
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
