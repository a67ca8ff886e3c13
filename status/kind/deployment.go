package kind

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var deployment = Kind{
	Replicas:     specReplicas,
	SetReplicas:  setSpecReplicas,
	Requirements: requirements(templateSpec),
	Dependencies: podDependencies(templateSpec),
	Observes:     true,
	Health:       observed(deploymentHealth),
	Reflect: pick{
		counters:   []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"},
		conditions: []string{"Available", "Progressing"},
	}.reflect,
	Aggregate: aggregateDeployment,
	Template:  template,
	Replaces:  replacesUnless("spec.paused"),
	Immutable: deploymentImmutable,
}

// deploymentImmutable is its selector, and a strategy that becomes Recreate while the API server has filled in how the old one
// rolls: what it has filled in is not ours to take away, and does not go with Recreate. Where Git had said
// rollingUpdate itself, that goes.
func deploymentImmutable(before, after *unstructured.Unstructured) []string {
	changed := fixed{"spec.selector": nil}.changed(before, after)
	was, is := object(before.Object, "spec", "strategy"), object(after.Object, "spec", "strategy")
	if was["type"] != "Recreate" && is["type"] == "Recreate" && was["rollingUpdate"] == nil {
		changed = append(changed, "spec.strategy")
	}
	return changed
}

// deploymentHealth is Karmada §6.6 plus what kubectl rollout status waits for: no old replicas, every replica
// available. A Deployment that gave up (progressDeadlineSeconds) is Failed.
func deploymentHealth(spec, status map[string]any) (Health, string) {
	want := countOr(defaultReplicas, spec, "replicas")
	replicas, updated, available := count(status, "replicas"), count(status, "updatedReplicas"), count(status, "availableReplicas")
	progress := fmt.Sprintf("%d of %d updated, %d of %d available", updated, want, available, want)

	if c := condition(status, "Progressing"); text(c, "reason") == "ProgressDeadlineExceeded" {
		return Failed, "gave up: " + progress + "; " + why(c)
	}
	paused := ""
	if truth(spec, "paused") {
		paused = "; paused (spec.paused)"
	}
	switch {
	case updated < want, available < want:
		return Progressing, progress + paused + blocked(status)
	case replicas > updated:
		return Progressing, fmt.Sprintf("%d old replicas are still there%s", replicas-updated, paused)
	}
	return Healthy, fmt.Sprintf("%d of %d available%s", available, want, paused)
}

// blocked says why pods cannot be made, if the object says so (a quota, an admission webhook).
func blocked(status map[string]any) string {
	if holds(status, "ReplicaFailure") {
		return "; " + why(condition(status, "ReplicaFailure"))
	}
	return ""
}

// aggregateDeployment is Karmada §6.5, with two additions: updatedReplicas counts only clusters that run what was decided,
// and the conditions that kubectl and kstatus read are there.
func aggregateDeployment(answers []Answer) map[string]any {
	total := sum(answers, "replicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
	total["updatedReplicas"] = sumCurrent(answers, "updatedReplicas")
	total["conditions"] = []any{deploymentAvailable(answers), deploymentProgressing(answers)}
	return total
}

// deploymentAvailable is True only if every decided cluster says so.
func deploymentAvailable(answers []Answer) map[string]any {
	missing := which(answers, func(a Answer) bool { return !holds(a.Status, "Available") })
	if len(answers) > 0 && len(missing) == 0 {
		return verdict("Available", "True", "MinimumReplicasAvailable",
			fmt.Sprintf("available in %d of %d clusters", len(answers), len(answers)), answers, "Available")
	}
	message := fmt.Sprintf("available in %d of %d clusters; not in %s", len(answers)-len(missing), len(answers), names(missing))
	return verdict("Available", "False", "MinimumReplicasUnavailable", strings.TrimSuffix(message, "; not in "), answers, "Available")
}

// deploymentProgressing is False as soon as one cluster gave up, and done when all are.
func deploymentProgressing(answers []Answer) map[string]any {
	gaveUp := which(answers, func(a Answer) bool {
		return a.Current && text(condition(a.Status, "Progressing"), "reason") == "ProgressDeadlineExceeded"
	})
	done := which(answers, func(a Answer) bool {
		return a.Current && text(condition(a.Status, "Progressing"), "reason") == "NewReplicaSetAvailable"
	})
	switch {
	case len(gaveUp) > 0:
		return verdict("Progressing", "False", "ProgressDeadlineExceeded", "gave up in "+names(gaveUp), answers, "Progressing")
	case len(answers) > 0 && len(done) == len(answers):
		return verdict("Progressing", "True", "NewReplicaSetAvailable",
			fmt.Sprintf("rolled out in %d of %d clusters", len(done), len(answers)), answers, "Progressing")
	}
	return verdict("Progressing", "True", "ReplicaSetUpdated",
		fmt.Sprintf("rolled out in %d of %d clusters", len(done), len(answers)), answers, "Progressing")
}
