package kind

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var deployment = Kind{
	Replicas:     pods.Replicas,
	SetReplicas:  pods.SetReplicas,
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     pods.Unreadable(pods.InTemplate, "replicas"),
	Dependencies: pods.Dependencies(pods.TemplateSpec),
	Observes:     true,
	Health:       health.Observed(deploymentHealth),
	Reflect: read.Pick{
		Counters:   []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"},
		Conditions: []string{"Available", "Progressing"},
	}.Reflect,
	Aggregate: aggregateDeployment,
	Template:  pods.Template,
	Replaces:  pods.ReplacesUnless("spec.paused"),
	Immutable: deploymentImmutable,
}

// deploymentImmutable checks its selector, and a strategy that becomes Recreate while the API server has filled in
// rollingUpdate: Recreate does not allow that field, and an apply cannot remove it. If Git had set rollingUpdate
// itself, the apply removes it.
func deploymentImmutable(before, after *unstructured.Unstructured) []string {
	changed := read.Fixed{"spec.selector": nil}.Changed(before, after)
	was, is := read.Object(before.Object, "spec", "strategy"), read.Object(after.Object, "spec", "strategy")
	if was["type"] != "Recreate" && is["type"] == "Recreate" && was["rollingUpdate"] == nil {
		changed = append(changed, "spec.strategy")
	}
	return changed
}

// deploymentHealth is Karmada §6.6 plus the rule of kubectl rollout status: no old replicas, every replica available.
// A Deployment that exceeded progressDeadlineSeconds is Failed.
func deploymentHealth(spec, status map[string]any) (Health, string) {
	want := read.CountOr(pods.DefaultReplicas, spec, "replicas")
	replicas, updated, available := read.Count(status, "replicas"), read.Count(status, "updatedReplicas"), read.Count(status, "availableReplicas")
	progress := fmt.Sprintf("%d of %d updated, %s", updated, want, health.Available(available, want))

	if c := read.Condition(status, "Progressing"); read.Text(c, "reason") == "ProgressDeadlineExceeded" {
		return Failed, "gave up: " + progress + "; " + read.Why(c)
	}
	paused := ""
	if read.Bool(spec, "paused") {
		paused = "; paused (spec.paused)"
	}
	switch {
	case updated < want, available < want:
		return Progressing, progress + paused + blocked(status)
	case replicas > updated:
		return Progressing, health.StillThere(replicas-updated, "old replica") + paused
	}
	return Healthy, health.Available(available, want) + paused
}

// blocked returns the reason why pods cannot be created, if the object reports one (a quota, an admission webhook).
func blocked(status map[string]any) string {
	if read.IsTrue(status, "ReplicaFailure") {
		return "; " + read.Why(read.Condition(status, "ReplicaFailure"))
	}
	return ""
}

// aggregateDeployment is Karmada §6.5 with two additions: updatedReplicas counts only clusters that run the wanted
// object, and it has the conditions that kubectl and kstatus read.
func aggregateDeployment(answers []Answer) map[string]any {
	total := sum.Fields(answers, "replicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
	total["updatedReplicas"] = sum.Current(answers, "updatedReplicas")
	total["conditions"] = []any{deploymentAvailable(answers), deploymentProgressing(answers)}
	return total
}

// deploymentAvailable is True only if it is True in every decided cluster.
func deploymentAvailable(answers []Answer) map[string]any {
	missing := sum.Which(answers, func(a Answer) bool { return !read.IsTrue(a.Status, "Available") })
	if len(answers) > 0 && len(missing) == 0 {
		return sum.Condition("Available", "True", "MinimumReplicasAvailable",
			fmt.Sprintf("available in %d of %d clusters", len(answers), len(answers)), answers, "Available")
	}
	message := fmt.Sprintf("available in %d of %d clusters; not in %s", len(answers)-len(missing), len(answers), sum.Names(missing))
	return sum.Condition("Available", "False", "MinimumReplicasUnavailable", strings.TrimSuffix(message, "; not in "), answers, "Available")
}

// deploymentProgressing is False as soon as one cluster gave up, and done when all are done.
func deploymentProgressing(answers []Answer) map[string]any {
	gaveUp := sum.Which(answers, func(a Answer) bool {
		return a.Current && read.Text(read.Condition(a.Status, "Progressing"), "reason") == "ProgressDeadlineExceeded"
	})
	done := sum.Which(answers, func(a Answer) bool {
		return a.Current && read.Text(read.Condition(a.Status, "Progressing"), "reason") == "NewReplicaSetAvailable"
	})
	switch {
	case len(gaveUp) > 0:
		return sum.Condition("Progressing", "False", "ProgressDeadlineExceeded", "gave up in "+sum.Names(gaveUp), answers, "Progressing")
	case len(answers) > 0 && len(done) == len(answers):
		return sum.Condition("Progressing", "True", "NewReplicaSetAvailable",
			fmt.Sprintf("rolled out in %d of %d clusters", len(done), len(answers)), answers, "Progressing")
	}
	return sum.Condition("Progressing", "True", "ReplicaSetUpdated",
		fmt.Sprintf("rolled out in %d of %d clusters", len(done), len(answers)), answers, "Progressing")
}
