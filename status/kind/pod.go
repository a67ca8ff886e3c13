package kind

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var pod = Kind{
	Replicas:     func(*unstructured.Unstructured) (int32, bool) { return 1, true },
	Requirements: requirements(ownSpec),
	Dependencies: podDependencies(ownSpec),
	Health:       present(podHealth),
	Reflect:      keepPhase,
	// Container statuses are left out: without their names, which differ by cluster, they say no more than the phase.
	Aggregate: worstPhase("Failed", "Pending", "Running", "Succeeded"),
	Yields:    []string{"spec.nodeName", "spec.serviceAccountName"},
	Immutable: podImmutable,
}

// podImmutable is its spec but for images, and for what may only be changed in one direction (deadlines, tolerations,
// scheduling gates): of that nothing is said here.
func podImmutable(before, after *unstructured.Unstructured) []string {
	may := func(t *corev1.PodTemplateSpec) {
		t.ObjectMeta = metav1.ObjectMeta{}
		t.Spec.ActiveDeadlineSeconds, t.Spec.TerminationGracePeriodSeconds = nil, nil
		t.Spec.Tolerations, t.Spec.SchedulingGates = nil, nil
		for _, list := range [][]corev1.Container{t.Spec.InitContainers, t.Spec.Containers} {
			for i := range list {
				list[i].Image, list[i].ImagePullPolicy = "", cmp.Or(list[i].ImagePullPolicy, corev1.PullIfNotPresent)
			}
		}
	}
	if samePods(before.Object, after.Object, may) {
		return nil
	}
	return []string{"spec"}
}

// podHealth is Karmada §6.6. A container that keeps crashing is Failed, as kstatus has it.
func podHealth(_, status map[string]any) (Health, string) {
	phase := cmp.Or(text(status, "phase"), "Pending")
	switch phase {
	case "Succeeded":
		return Healthy, "succeeded"
	case "Failed":
		return Failed, "failed: " + cmp.Or(text(status, "message"), text(status, "reason"), "a container ended with an error")
	case "Running":
		if holds(status, "Ready") {
			return Healthy, "ready"
		}
	}
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, c := range maps(status, list) {
			waiting, _ := at(c, "state", "waiting").(map[string]any)
			reason := text(waiting, "reason")
			switch reason {
			case "", "ContainerCreating", "PodInitializing":
				continue
			case "CrashLoopBackOff":
				return Failed, "container " + text(c, "name") + " keeps crashing: " + why(waiting)
			}
			return Progressing, "container " + text(c, "name") + " waits (" + reason + "): " + why(waiting)
		}
	}
	if c := condition(status, "PodScheduled"); text(c, "status") == "False" {
		return Progressing, "not scheduled: " + why(c)
	}
	if c := condition(status, "Ready"); why(c) != "" {
		return Progressing, phase + ", not ready: " + why(c)
	}
	return Progressing, phase + ", not ready"
}
