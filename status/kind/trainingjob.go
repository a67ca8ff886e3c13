package kind

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// trainingJob is what the training jobs of Kubeflow have in common (Karmada §6.16): groups of pods with a role each, and
// the same status. They have no count: their groups have one each.
func trainingJob(dependencies func(*unstructured.Unstructured) []Reference) Kind {
	return Kind{
		Dependencies: dependencies,
		Health:       present(trainingHealth),
		Reflect:      reflectTraining,
		Aggregate:    aggregateTraining,
	}
}

// rolesIn finds what the pods of all roles refer to, those of a map of them in the spec.
func rolesIn(field string) func(*unstructured.Unstructured) []Reference {
	return func(u *unstructured.Unstructured) []Reference {
		refs := references{namespace: u.GetNamespace()}
		for role := range object(u.Object, "spec", field) {
			refs.addPod(object(u.Object, "spec", field, role, "template", "spec"))
		}
		return refs.sorted()
	}
}

// trainingHealth: it is as it should be while it runs and when it has succeeded. Karmada calls it healthy as soon as it
// has any condition.
func trainingHealth(spec, status map[string]any) (Health, string) {
	switch {
	case holds(status, "Failed"):
		return Failed, "failed: " + why(condition(status, "Failed"))
	case holds(status, "Succeeded"):
		return Healthy, "succeeded"
	case holds(status, "Suspended"), truth(spec, "runPolicy", "suspend"):
		return Progressing, "suspended (spec.runPolicy.suspend)"
	case holds(status, "Restarting"):
		return Progressing, "restarting: " + why(condition(status, "Restarting"))
	case holds(status, "Running"):
		return Healthy, "running"
	case holds(status, "Created"):
		return Progressing, "created, and does not run yet"
	}
	return Progressing, "not started"
}

func roleCounters() []string { return []string{"active", "succeeded", "failed"} }

func reflectTraining(u *unstructured.Unstructured) map[string]any {
	status := statusOf(u)
	kept := pick{
		texts:      []string{"startTime", "completionTime", "lastReconcileTime"},
		conditions: []string{"Created", "Running", "Succeeded", "Failed"},
	}.from(status)
	roles := map[string]any{}
	for _, role := range some(object(status, "replicaStatuses")) {
		if counted := keepCounters(object(status, "replicaStatuses", role), roleCounters()...); len(counted) > 0 {
			roles[role] = counted
		}
	}
	if len(roles) > 0 {
		kept["replicaStatuses"] = roles
	}
	return kept
}

// aggregateTraining is Karmada §6.16, one rule for all of them: failed as soon as one cluster failed, succeeded when all
// have. As the kinds require it, conditions and counters are there even when they are empty.
func aggregateTraining(answers []Answer) map[string]any {
	total := map[string]any{}
	started(total, answers, "startTime")
	ended(total, answers, "completionTime")
	latest(total, answers, "lastReconcileTime")
	roles := map[string]any{}
	for _, role := range keysIn(answers, "replicaStatuses") {
		counted := map[string]any{}
		for _, f := range roleCounters() {
			var n int64
			for _, a := range answers {
				n += count(a.Status, "replicaStatuses", role, f)
			}
			counted[f] = n
		}
		roles[role] = counted
	}
	total["replicaStatuses"], total["conditions"] = roles, trainingConditions(answers)
	return total
}

func trainingConditions(answers []Answer) []any {
	conditions := []any{}
	if created := clustersWith(answers, "Created"); len(created) > 0 {
		conditions = append(conditions, verdict("Created", "True", "JobCreated", inClusters("created", created, answers), answers, "Created"))
	}
	end := outcome(answers, "Succeeded")
	if running := clustersWith(answers, "Running"); end != nil {
		conditions = append(conditions, verdict("Running", "False", "JobEnded", inClusters("running", running, answers), answers, "Running"), end)
	} else if len(running) > 0 {
		conditions = append(conditions, verdict("Running", "True", "JobRunning", inClusters("running", running, answers), answers, "Running"))
	}
	return conditions
}

// clustersWith are the clusters where a condition holds.
func clustersWith(answers []Answer, typ string) []string {
	return which(answers, func(a Answer) bool { return holds(a.Status, typ) })
}

func inClusters(what string, in []string, answers []Answer) string {
	return strings.TrimSuffix(fmt.Sprintf("%s in %d of %d clusters: %s", what, len(in), len(answers), names(in)), ": ")
}
