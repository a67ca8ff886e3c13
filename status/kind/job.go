package kind

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var job = Kind{
	Replicas:     jobReplicas,
	SetReplicas:  func(u *unstructured.Unstructured, n int32) { pods.SetCount(u, "parallelism", n) },
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     pods.Unreadable(pods.InTemplate, "parallelism", "completions"),
	Dependencies: pods.Dependencies(pods.TemplateSpec),
	Health:       health.Present(jobHealth),
	Reflect: read.Pick{
		Counters:   []string{"active", "succeeded", "failed"},
		Texts:      []string{"startTime", "completionTime"},
		Conditions: []string{"Complete", "Failed"},
	}.Reflect,
	Aggregate: aggregateJob,
	// Without manualSelector the API server makes it. The labels that it adds to the template are left alone anyway.
	Yields:    []string{"spec.selector"},
	Immutable: jobImmutable,
}

// jobReplicas returns the number of pods that run at once: the parallelism, but not more than the completions (Karmada
// §6.2).
func jobReplicas(u *unstructured.Unstructured) (int32, bool) {
	parallelism, ok := pods.Count(u, "parallelism")
	completions, bounded := manifest.Count(read.At(u.Object, "spec", "completions"))
	if bounded {
		parallelism = min(parallelism, completions)
	}
	return parallelism, ok
}

// jobHealth: a Job is healthy when it is Complete. Karmada calls every Job healthy, and kstatus one that has started;
// but a pipeline that waits for a release with a migration needs to know that the migration is done.
func jobHealth(spec, status map[string]any) (Health, string) {
	progress := fmt.Sprintf("%d of %d succeeded, %d active, %d failed", read.Count(status, "succeeded"),
		read.CountOr(read.CountOr(pods.DefaultReplicas, spec, "parallelism"), spec, "completions"), read.Count(status, "active"), read.Count(status, "failed"))
	switch {
	case read.IsTrue(status, "Complete"):
		return Healthy, "complete"
	case read.IsTrue(status, "Failed"):
		return Failed, "failed: " + read.Why(read.Condition(status, "Failed"))
	case read.Bool(spec, "suspend"):
		return Progressing, progress + "; suspended (spec.suspend)"
	}
	return Progressing, progress
}

// jobImmutable returns the changed fields that shape its pods. The template of a suspended Job, which has not started,
// may change placement and requests; the completions of an indexed Job change together with its parallelism.
func jobImmutable(before, after *unstructured.Unstructured) []string {
	changed := read.Fixed{
		"spec.backoffLimitPerIndex": nil, "spec.completionMode": "NonIndexed", "spec.managedBy": nil, "spec.podFailurePolicy": nil,
		"spec.selector": nil, "spec.successPolicy": nil,
	}.Changed(before, after)
	if !elastic(after) && !read.Equal(completions(before), completions(after)) {
		changed = append(changed, "spec.completions")
	}
	strip := func(*corev1.PodTemplateSpec) {}
	if read.Bool(before.Object, "spec", "suspend") {
		strip = withoutPlacement
	}
	if !pods.Same(pods.Template(before), pods.Template(after), strip) {
		changed = append(changed, "spec.template")
	}
	slices.Sort(changed)
	return changed
}

// elastic reports whether it is an indexed Job with as many completions as parallel pods.
func elastic(u *unstructured.Unstructured) bool {
	return read.Text(u.Object, "spec", "completionMode") == "Indexed" &&
		read.Equal(read.At(u.Object, "spec", "completions"), read.At(u.Object, "spec", "parallelism"))
}

// completions is 1 without both fields; with a parallelism only there are none, and the Job is a work queue.
func completions(u *unstructured.Unstructured) any {
	if read.At(u.Object, "spec", "parallelism") == nil && read.At(u.Object, "spec", "completions") == nil {
		return int64(1)
	}
	return read.At(u.Object, "spec", "completions")
}

// withoutPlacement removes the fields that may change while a Job is suspended (KEP-2926, KEP-5440).
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
	total := sum.Fields(answers, "active", "succeeded", "failed")
	sum.Started(total, answers, "startTime")
	sum.Ended(total, answers, "completionTime")
	if c := sum.Outcome(answers, "Complete"); c != nil {
		total["conditions"] = []any{c}
	}
	return total
}
