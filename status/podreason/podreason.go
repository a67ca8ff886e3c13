// Package podreason finds in the pods of a workload the reason why it does not become healthy.
package podreason

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// outOfMemory is the reason of a container that the kernel killed.
const outOfMemory = "OOMKilled"

// severity orders the reasons: what has run and failed comes before what has never run. Other reasons of a waiting container,
// as ContainerCreating, are normal for a moment and come last.
var severity = []string{
	outOfMemory, "CrashLoopBackOff", "RunContainerError", "CreateContainerError", "CreateContainerConfigError",
	"InvalidImageName", "ErrImageNeverPull", "ImagePullBackOff", "ErrImagePull", corev1.PodReasonUnschedulable,
}

// finding is one reason with the message of the cluster.
type finding struct{ reason, message, pod string }

// Worst returns the most severe reason of the pods with the message of the cluster and the pod, as in `ImagePullBackOff: Back-off
// pulling image "web:9" (pod web-6d4b)`. It is empty if no pod has one.
func Worst(pods []corev1.Pod) string {
	var worst finding
	for i := range pods {
		for _, f := range findings(&pods[i]) {
			if rank(f.reason) < rank(worst.reason) || rank(f.reason) == rank(worst.reason) && f.pod < worst.pod {
				worst = f
			}
		}
	}
	if worst.reason == "" {
		return ""
	}
	text := worst.reason
	if worst.message != "" {
		text += ": " + worst.message
	}
	return text + " (pod " + worst.pod + ")"
}

// rank returns the position of a reason in severity. An unknown reason comes after all others.
func rank(reason string) int {
	if i := slices.Index(severity, reason); i >= 0 {
		return i
	}
	return len(severity)
}

// findings returns the known reasons of one pod.
func findings(pod *corev1.Pod) []finding {
	if pod.DeletionTimestamp != nil {
		return nil
	}
	var all []finding
	note := func(reason, message string) {
		if rank(reason) < len(severity) {
			all = append(all, finding{reason, message, pod.Name})
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			note(c.Reason, c.Message)
		}
	}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if c.State.Waiting != nil {
			note(c.State.Waiting.Reason, c.State.Waiting.Message)
		}
		for _, ended := range []*corev1.ContainerStateTerminated{c.State.Terminated, c.LastTerminationState.Terminated} {
			if !c.Ready && ended != nil && ended.Reason == outOfMemory {
				note(outOfMemory, "container "+c.Name)
			}
		}
	}
	return all
}
