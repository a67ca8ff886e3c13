package kind

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var rayService = Kind{
	Replicas:     rayServiceReplicas,
	SetReplicas:  setRayServiceReplicas,
	Requirements: rayServiceRequirements,
	Dependencies: rayDependencies([]string{"spec", "rayClusterConfig"}),
	Health:       present(rayServiceHealth),
	Reflect:      reflectRayService,
	Aggregate:    aggregateRayService,
}

func rayServiceCluster(u *unstructured.Unstructured) map[string]any {
	return object(u.Object, "spec", "rayClusterConfig")
}

// rayServiceReplicas are its head and all its workers; 0 without a head (Karmada §6.15).
func rayServiceReplicas(u *unstructured.Unstructured) (int32, bool) {
	cluster := rayServiceCluster(u)
	if object(cluster, "headGroupSpec") == nil {
		return 0, true
	}
	n := int64(1)
	for _, group := range maps(cluster, "workerGroupSpecs") {
		n += int64(replicasOf(count(group, "replicas")))
	}
	return replicasOf(n), true
}

// setRayServiceReplicas makes all but one of n workers, and shares them out in proportion to what each group had, rounded
// to the nearest, and equally if none had any. The last group gets what is left; where rounding has left less than
// nothing, which Karmada §6.15 would write, the groups before it give way.
func setRayServiceReplicas(u *unstructured.Unstructured, n int32) {
	groups := maps(rayServiceCluster(u), "workerGroupSpecs")
	had := make([]int64, len(groups))
	var all int64
	for i, group := range groups {
		had[i] = int64(replicasOf(count(group, "replicas")))
		all += had[i]
	}
	left := max(0, int64(n)-1)
	for i, s := range rounded(left, had, all) {
		if i == len(groups)-1 {
			s = left
		}
		s = min(s, left)
		if s != had[i] {
			groups[i]["replicas"] = s
		}
		left -= s
	}
}

// rounded are the shares of n in proportion to had, which adds up to all.
func rounded(n int64, had []int64, all int64) []int64 {
	shares := make([]int64, len(had))
	for i, h := range had {
		if all == 0 {
			h = 1
		}
		of := cmp.Or(all, int64(len(had)))
		shares[i] = (2*n*h + of) / (2 * of)
	}
	return shares
}

// rayServiceRequirements is, of each resource, the most that one of its pods requests.
func rayServiceRequirements(u *unstructured.Unstructured) corev1.ResourceList {
	most := corev1.ResourceList{}
	for _, pod := range rayPods(rayServiceCluster(u)) {
		for name, q := range requirements(func(*unstructured.Unstructured) map[string]any { return pod })(u) {
			raise(most, name, q)
		}
	}
	return most
}

// rayServiceHealth is Karmada §6.15, and while it is being upgraded what answers is the version before. Versions without
// conditions say it in one word.
func rayServiceHealth(_, status map[string]any) (Health, string) {
	c := condition(status, "Ready")
	switch {
	case holds(status, "UpgradeInProgress"):
		return Progressing, "is being upgraded: " + why(condition(status, "UpgradeInProgress"))
	case text(c, "status") == "True", c == nil && text(status, "serviceStatus") == "Running":
		return Healthy, cmp.Or(why(c), "running")
	}
	return Progressing, "not ready: " + cmp.Or(why(c), text(status, "serviceStatus"), "not started")
}

// reflectRayService keeps one word of each application of the version that answers.
func reflectRayService(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	kept := pick{
		counters:   []string{"numServeEndpoints"},
		texts:      []string{"serviceStatus", "lastUpdateTime"},
		conditions: []string{"Ready", "UpgradeInProgress"},
	}.from(status)
	applications := map[string]any{}
	running := object(status, "activeServiceStatus", "applicationStatuses")
	for _, name := range some(running) {
		if s := text(running, name, "status"); s != "" {
			applications[name] = map[string]any{"status": s}
		}
	}
	if len(applications) > 0 {
		kept["activeServiceStatus"] = map[string]any{"applicationStatuses": applications}
	}
	return kept
}

// aggregateRayService is Karmada §6.15 with one condition of a type. What is pending is left out: the condition says so.
func aggregateRayService(answers []Answer) map[string]any {
	total := sum(answers, "numServeEndpoints")
	latest(total, answers, "lastUpdateTime")
	total["serviceStatus"] = worst(answers, []string{"", "Running"}, "", "serviceStatus")
	total["conditions"] = append(merge(answers, "True", "Ready"), merge(answers, "False", "UpgradeInProgress")...)
	applications := map[string]any{}
	path := []string{"activeServiceStatus", "applicationStatuses"}
	for _, name := range keysIn(answers, path...) {
		order := []string{"DEPLOY_FAILED", "UNHEALTHY", "DELETING", "DEPLOYING", "NOT_STARTED", "RUNNING"}
		applications[name] = map[string]any{"status": worst(answers, order, "NOT_STARTED", append(path, name, "status")...)}
	}
	total["activeServiceStatus"] = map[string]any{"applicationStatuses": applications}
	return total
}
