package kind

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// flinkDeployment has a count, so that a cluster with room for it is found, and it cannot be set: a job that reads a
// stream is one whole, and its halves in two clusters would be two jobs (Karmada §6.13 has no ReviseReplica either).
var flinkDeployment = Kind{
	Replicas:     flinkReplicas,
	Requirements: flinkRequirements,
	Health:       present(flinkHealth),
	Reflect:      reflectFlink,
	Aggregate:    aggregateFlink,
}

// flinkReplicas are the job managers and the task managers: as many as there are, or as the parallelism needs with the
// slots that each has.
func flinkReplicas(u *unstructured.Unstructured) (int32, bool) {
	managers := countOr(1, u.Object, "spec", "jobManager", "replicas")
	workers := int64(1)
	slots, _ := strconv.ParseInt(flinkSetting(u, "taskmanager.numberOfTaskSlots"), 10, 32) // none, or odd: not known
	parallelism := count(u.Object, "spec", "job", "parallelism")
	if parallelism > 0 && slots > 0 {
		workers = (parallelism-1)/slots + 1
	}
	workers = countOr(workers, u.Object, "spec", "taskManager", "replicas")
	return replicasOf(int64(replicasOf(managers)) + int64(replicasOf(workers))), true
}

// flinkSetting is a value of flinkConfiguration, which is text, or what YAML makes of it without quotes.
func flinkSetting(u *unstructured.Unstructured, key string) string {
	v := at(u.Object, "spec", "flinkConfiguration", key)
	if n, ok := number(v); ok {
		return strconv.FormatInt(n, 10)
	}
	s, _ := v.(string)
	return s
}

// flinkRequirements is, of each resource, the larger of what a job manager and a task manager request.
func flinkRequirements(u *unstructured.Unstructured) corev1.ResourceList {
	most := corev1.ResourceList{}
	for _, manager := range []string{"jobManager", "taskManager"} {
		cpu, hasCPU := quantity(at(u.Object, "spec", manager, "resource", "cpu"))
		memory, hasMemory := flinkMemory(at(u.Object, "spec", manager, "resource", "memory"))
		if hasCPU {
			raise(most, corev1.ResourceCPU, cpu)
		}
		if hasMemory {
			raise(most, corev1.ResourceMemory, memory)
		}
	}
	return bounded(most)
}

// raise keeps the larger request.
func raise(list corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	if had := list[name]; q.Cmp(had) > 0 {
		list[name] = q
	}
}

// flinkMemory reads an amount as Flink writes it: "2048m" and "2 gb" are mebibytes and gibibytes, and not, as in
// Kubernetes, thousandths and nothing. Anything else is an amount of Kubernetes ("2Gi").
func flinkMemory(v any) (resource.Quantity, bool) {
	s, _ := v.(string)
	s = strings.ToLower(strings.TrimSpace(s))
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz ")
	unit := strings.TrimSpace(strings.TrimPrefix(s, digits))
	power := slices.IndexFunc([]string{"b", "k", "m", "g", "t"}, func(u string) bool {
		return unit == u || unit == u+"b"
	})
	if unit == "" || power < 0 {
		return quantity(v)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	n = min(n, math.MaxInt64>>(10*power)) // more than that fits nowhere either
	return *resource.NewQuantity(n<<(10*power), resource.BinarySI), err == nil && n >= 0
}

// flinkHealth: a job is healthy when it runs or has finished, a session cluster when it is up (Karmada §6.13). What has
// failed, was cancelled or rolled back is Failed; Karmada calls a job that has come to any end healthy.
func flinkHealth(spec, status map[string]any) (Health, string) {
	state, lifecycle := text(status, "jobStatus", "state"), text(status, "lifecycleState")
	message := cmp.Or(state, text(status, "jobManagerDeploymentStatus"), "not started")
	if lifecycle != "" {
		message += " (" + lifecycle + ")"
	}
	if e := text(status, "error"); e != "" {
		message += ": " + e
	}
	switch {
	case lifecycle == "FAILED", lifecycle == "ROLLED_BACK", state == "FAILED":
		return Failed, message
	case text(spec, "job", "state") == "suspended":
		return suspendedFlink(state, lifecycle, message)
	case state == "CANCELED":
		return Failed, message
	case lifecycle == "UPGRADING", lifecycle == "ROLLING_BACK":
		return Progressing, message
	case state == "RUNNING", state == "FINISHED":
		return Healthy, message
	case state == "" && text(status, "jobManagerDeploymentStatus") == "READY" && lifecycle == "STABLE":
		return Healthy, message
	}
	return Progressing, message
}

// suspendedFlink is the health of a job that is not meant to run: it is as it should be when it has stopped.
func suspendedFlink(state, lifecycle, message string) (Health, string) {
	message += "; suspended (spec.job.state)"
	if lifecycle == "SUSPENDED" || state == "SUSPENDED" || state == "CANCELED" || state == "FINISHED" {
		return Healthy, message
	}
	return Progressing, message
}

// flinkStates are the states of a job, worst first, and a job manager's.
func flinkStates() []string {
	return []string{"FAILED", "FAILING", "CANCELED", "CANCELLING", "RESTARTING", "SUSPENDED", "RECONCILING", "", "CREATED", "INITIALIZING", "RUNNING", "FINISHED"}
}

func flinkLifecycles() []string {
	return []string{"FAILED", "ROLLED_BACK", "ROLLING_BACK", "DELETING", "SUSPENDED", "UPGRADING", "", "CREATED", "DEPLOYED", "STABLE"}
}

func flinkManagers() []string {
	return []string{"ERROR", "MISSING", "", "DEPLOYING", "DEPLOYED_NOT_READY", "READY"}
}

func reflectFlink(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	kept := pick{texts: []string{"lifecycleState", "jobManagerDeploymentStatus"}}.from(status)
	if state := text(status, "jobStatus", "state"); state != "" {
		kept["jobStatus"] = map[string]any{"state": state}
	}
	if n := count(status, "taskManager", "replicas"); n != 0 {
		kept["taskManager"] = map[string]any{"replicas": n}
	}
	return kept
}

// aggregateFlink says of each state the worst, and adds up the task managers; Karmada §6.13 takes the last cluster's.
func aggregateFlink(answers []Answer) map[string]any {
	total := map[string]any{
		"lifecycleState":             worst(answers, flinkLifecycles(), "", "lifecycleState"),
		"jobManagerDeploymentStatus": worst(answers, flinkManagers(), "", "jobManagerDeploymentStatus"),
	}
	state := worst(answers, flinkStates(), "", "jobStatus", "state")
	total["jobStatus"] = map[string]any{"state": state}
	if in := saying(answers, state, "jobStatus", "state"); state != "" && state != "RUNNING" && state != "FINISHED" {
		total["error"] = state + " in " + names(in)
	}
	var workers int64
	for _, a := range answers {
		workers += count(a.Status, "taskManager", "replicas")
	}
	total["taskManager"] = map[string]any{"replicas": workers}
	for _, f := range []string{"lifecycleState", "jobManagerDeploymentStatus"} {
		if total[f] == "" {
			delete(total, f) // the field is one of a few words, and none is not one
		}
	}
	return total
}
