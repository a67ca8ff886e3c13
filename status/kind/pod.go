package kind

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var pod = Kind{
	Replicas:     func(*unstructured.Unstructured) (int32, bool) { return 1, true },
	Requirements: pods.Requirements(pods.Own),
	Mistakes:     pods.Unreadable(pods.InPod),
	Dependencies: pods.Dependencies(pods.Own),
	Health:       health.Present(podHealth),
	Reflect:      read.Phase,
	// Container statuses are left out: without their names, which differ by cluster, they add nothing to the phase.
	Aggregate: sum.WorstPhase("Failed", "Pending", "Running", "Succeeded"),
	Yields:    []string{"spec.nodeName", "spec.serviceAccountName"},
	Immutable: podImmutable,
}

// podImmutable checks its spec except images and the fields that may change in one direction only (deadlines,
// tolerations, scheduling gates): those are not checked here.
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
	if pods.Same(before.Object, after.Object, may) {
		return nil
	}
	return []string{"spec"}
}

// podHealth is Karmada §6.6. A container that keeps crashing is Failed, as in kstatus.
func podHealth(_, status map[string]any) (Health, string) {
	phase := cmp.Or(read.Text(status, "phase"), "Pending")
	switch phase {
	case "Succeeded":
		return Healthy, "succeeded"
	case "Failed":
		return Failed, "failed: " + cmp.Or(read.Text(status, "message"), read.Text(status, "reason"), "a container ended with an error")
	case "Running":
		if read.IsTrue(status, "Ready") {
			return Healthy, "ready"
		}
	}
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		for _, c := range read.Objects(status, list) {
			waiting, _ := read.At(c, "state", "waiting").(map[string]any)
			reason := read.Text(waiting, "reason")
			switch reason {
			case "", "ContainerCreating", "PodInitializing":
				continue
			case "CrashLoopBackOff":
				return Failed, "container " + read.Text(c, "name") + " keeps crashing: " + read.Why(waiting)
			}
			return Progressing, "container " + read.Text(c, "name") + " waits (" + reason + "): " + read.Why(waiting)
		}
	}
	if c := read.Condition(status, "PodScheduled"); read.Text(c, "status") == "False" {
		return Progressing, "not scheduled: " + read.Why(c)
	}
	if c := read.Condition(status, "Ready"); read.Why(c) != "" {
		return Progressing, phase + ", not ready: " + read.Why(c)
	}
	return Progressing, phase + ", not ready"
}
