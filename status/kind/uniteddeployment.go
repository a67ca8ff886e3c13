package kind

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var unitedDeployment = Kind{
	Replicas:     pods.Replicas,
	SetReplicas:  pods.SetReplicas,
	Requirements: pods.Requirements(subsetSpec),
	Mistakes:     unitedDeploymentMistakes,
	Dependencies: unitedDependencies,
	Observes:     true,
	Health:       health.Observed(unitedDeploymentHealth),
	Reflect: read.Pick{
		Counters:   []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"},
		Texts:      []string{"currentRevision"},
		Conditions: []string{"SubsetProvisioned", "SubsetUpdated", "SubsetFailure"},
	}.Reflect,
	Aggregate: aggregateUnitedDeployment,
	Template:  subsetTemplate,
	Replaces:  unitedDeploymentReplaces,
}

// subsetTemplates are the kinds that the subsets of a UnitedDeployment may have. It is only read.
var subsetTemplates = []string{"deploymentTemplate", "cloneSetTemplate", "statefulSetTemplate", "advancedStatefulSetTemplate"}

// subset returns the template of the subsets, which has one of its kinds: its spec is a union.
func subset(u *unstructured.Unstructured) map[string]any {
	for _, t := range subsetTemplates {
		if o := read.Object(u.Object, "spec", "template", t); o != nil {
			return o
		}
	}
	return nil
}

// subsetSpec returns the pod spec in the template of the subsets. Karmada looks for it where a Deployment has it, and a
// UnitedDeployment has none there.
func subsetSpec(u *unstructured.Unstructured) map[string]any {
	return read.Object(subset(u), "spec", "template", "spec")
}

// unitedDeploymentMistakes returns those of its count and of each template.
func unitedDeploymentMistakes(u *unstructured.Unstructured) []manifest.Mistake {
	found := pods.Unreadable(nil, "replicas")(u)
	for _, t := range subsetTemplates {
		found = append(found, pods.Requests(u, "spec", "template", t, "spec", "template", "spec")...)
	}
	return found
}

// subsetTemplate returns the pod template of the subsets.
func subsetTemplate(u *unstructured.Unstructured) map[string]any {
	return read.Object(subset(u), "spec", "template")
}

// unitedDeploymentReplaces returns all but those that partitions of subsets keep.
func unitedDeploymentReplaces(u *unstructured.Unstructured) (int32, bool) {
	n, _ := pods.Replicas(u)
	left := int64(n)
	for _, kept := range read.Object(u.Object, "spec", "updateStrategy", "manualUpdate", "partitions") {
		left = max(0, left-health.Portion(kept, int64(n)))
	}
	return int32(left), false
}

// unitedDependencies returns those of its subsets.
func unitedDependencies(u *unstructured.Unstructured) []Reference {
	return exceptClaims(pods.Dependencies(subsetSpec)(u), read.Objects(subset(u), "spec", "volumeClaimTemplates"))
}

// unitedDeploymentHealth is Karmada §6.9, but does not wait for pods that a partition of a subset keeps on the older
// revision. Versions of Kruise that do not count available pods count ready ones.
func unitedDeploymentHealth(spec, status map[string]any) (Health, string) {
	want := read.CountOr(pods.DefaultReplicas, spec, "replicas")
	r := health.Rollout{
		Want: want, Due: want, Stay: health.Partitioned,
		Replicas: read.Count(status, "replicas"), Updated: read.Count(status, "updatedReplicas"),
		Available: read.CountOr(read.Count(status, "readyReplicas"), status, "availableReplicas"),
	}
	for _, v := range read.Object(spec, "updateStrategy", "manualUpdate", "partitions") {
		r.Due = max(0, r.Due-health.Portion(v, want))
	}
	health, message := r.Health()
	if read.IsTrue(status, "SubsetFailure") {
		return Progressing, message + "; a subset fails: " + read.Why(read.Condition(status, "SubsetFailure"))
	}
	return health, message
}

// aggregateUnitedDeployment is Karmada §6.9.
func aggregateUnitedDeployment(answers []Answer) map[string]any {
	total := sum.Fields(answers, "replicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
	total["updatedReplicas"] = sum.Current(answers, "updatedReplicas")
	sum.Agree(total, answers, "currentRevision")
	total["conditions"] = slices.Concat(sum.Merge(answers, "True", "SubsetProvisioned", "SubsetUpdated"), sum.Merge(answers, "False", "SubsetFailure"))
	return total
}
