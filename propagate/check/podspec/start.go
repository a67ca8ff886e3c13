package podspec

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// leastStart is the time in which a node pulls an image and starts its container, in seconds.
const leastStart = 60

// Start returns the seconds that a workload can need until it is healthy, and the fields that say so; 0 for an object that is not a
// workload that goes on running.
func Start(u *unstructured.Unstructured) (seconds int64, why string) {
	switch u.GetKind() {
	case "ReplicaSet", "Deployment", "DaemonSet", "StatefulSet":
	default:
		return 0, ""
	}
	spec, _ := u.Object["spec"].(map[string]any)
	containers, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "template", "spec", "containers")
	items, _ := containers.([]any)
	for _, item := range items {
		c, _ := item.(map[string]any)
		if probed, field := probes(c); probed > seconds {
			seconds, why = probed, fmt.Sprintf("%s of container %v", field, c["name"])
		}
	}
	if ready := number(spec, "minReadySeconds", 0); ready > 0 {
		seconds += ready
		if why != "" {
			why += " and "
		}
		why += "minReadySeconds"
	}
	if deadline := number(spec, "progressDeadlineSeconds", 0); deadline > seconds {
		seconds, why = deadline, "progressDeadlineSeconds"
	}
	if seconds < leastStart {
		return leastStart, "the least that accord expects"
	}
	return seconds, why
}

// probes returns the seconds until a container is ready if each attempt of its startup probe but the last fails.
func probes(container map[string]any) (seconds int64, field string) {
	if p, ok := container["startupProbe"].(map[string]any); ok {
		seconds, field = number(p, "initialDelaySeconds", 0)+number(p, "periodSeconds", 10)*number(p, "failureThreshold", 3), "startupProbe"
	}
	if p, ok := container["readinessProbe"].(map[string]any); ok {
		if delay := number(p, "initialDelaySeconds", 0); delay > seconds {
			seconds, field = delay, "readinessProbe"
		}
	}
	return seconds, field
}

// number returns an integer field, or the default of Kubernetes.
func number(fields map[string]any, name string, otherwise int64) int64 {
	switch n := fields[name].(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return otherwise
}
