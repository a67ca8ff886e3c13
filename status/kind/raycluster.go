package kind

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// rayCluster has no count: its head and its groups of workers have one each.
var rayCluster = Kind{
	Health: present(rayClusterHealth),
	Reflect: pick{
		counters:   rayWorkers(),
		texts:      append(rayResources(), "state", "lastUpdateTime"),
		conditions: []string{"HeadPodReady", "RayClusterProvisioned", "ReplicaFailure"},
	}.reflect,
	Aggregate: aggregateRayCluster,
}

func rayWorkers() []string {
	return []string{"readyWorkerReplicas", "availableWorkerReplicas", "desiredWorkerReplicas", "minWorkerReplicas", "maxWorkerReplicas"}
}

func rayResources() []string {
	return []string{"desiredCPU", "desiredMemory", "desiredGPU", "desiredTPU"}
}

// rayClusterHealth is Karmada §6.15: its head is ready, all of it was provisioned once, and no pod fails to be made.
// Versions without conditions say it in one word. One that is suspended and has stopped is as it should be.
func rayClusterHealth(spec, status map[string]any) (Health, string) {
	state := text(status, "state")
	failing := condition(status, "ReplicaFailure")
	head, all := condition(status, "HeadPodReady"), condition(status, "RayClusterProvisioned")
	switch {
	case truth(spec, "suspend") && (holds(status, "RayClusterSuspended") || state == "suspended"):
		return Healthy, "suspended (spec.suspend)"
	case truth(spec, "suspend"):
		return Progressing, "is being suspended (spec.suspend)"
	case state == "failed":
		return Failed, "failed: " + text(status, "reason")
	case text(failing, "status") == "True":
		return Progressing, "pods cannot be made: " + why(failing)
	case head == nil && all == nil && state == "ready", text(head, "status") == "True" && text(all, "status") == "True":
		return Healthy, "ready"
	case text(head, "status") != "True":
		return Progressing, "its head is not ready: " + cmp.Or(why(head), text(status, "reason"), "not started")
	}
	return Progressing, "not provisioned: " + cmp.Or(why(all), "not started")
}

// aggregateRayCluster is Karmada §6.15 with one condition of a type. Addresses and names of pods are left out: they are
// those of one cluster.
func aggregateRayCluster(answers []Answer) map[string]any {
	total := sum(answers, rayWorkers()...)
	for _, f := range rayResources() {
		if q, ok := sumQuantity(answers, f); ok {
			total[f] = q.String()
		}
	}
	latest(total, answers, "lastUpdateTime")
	if state := worst(answers, []string{"failed", "unhealthy", "", "suspended", "ready"}, "", "state"); state != "" {
		total["state"] = state
	}
	total["conditions"] = slices.Concat(merge(answers, "True", "HeadPodReady", "RayClusterProvisioned"), merge(answers, "False", "ReplicaFailure"))
	return total
}

// sumQuantity adds up amounts; ok is false if no cluster has one.
func sumQuantity(answers []Answer, field string) (total resource.Quantity, ok bool) {
	for _, a := range answers {
		if q, has := quantity(a.Status[field]); has {
			total.Add(q)
			ok = true
		}
	}
	return total, ok
}
