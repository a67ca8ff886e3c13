package kind

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var unitedDeployment = Kind{
	Replicas:     specReplicas,
	SetReplicas:  setSpecReplicas,
	Requirements: requirements(subsetSpec),
	Dependencies: unitedDependencies,
	Observes:     true,
	Health:       observed(unitedDeploymentHealth),
	Reflect: pick{
		counters:   []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"},
		texts:      []string{"currentRevision"},
		conditions: []string{"SubsetProvisioned", "SubsetUpdated", "SubsetFailure"},
	}.reflect,
	Aggregate: aggregateUnitedDeployment,
	Template:  subsetTemplate,
	Replaces:  unitedDeploymentReplaces,
}

// subsetTemplates are the kinds that the subsets of a UnitedDeployment may be. It is only read.
var subsetTemplates = []string{"deploymentTemplate", "cloneSetTemplate", "statefulSetTemplate", "advancedStatefulSetTemplate"}

// subset is the template of the subsets: it has one of its kinds, as its spec is a union.
func subset(u *unstructured.Unstructured) map[string]any {
	for _, t := range subsetTemplates {
		if o := object(u.Object, "spec", "template", t); o != nil {
			return o
		}
	}
	return nil
}

// subsetSpec is the pod spec in the template of the subsets. Karmada looks for it where a Deployment has it, and there is
// none there.
func subsetSpec(u *unstructured.Unstructured) map[string]any {
	return object(subset(u), "spec", "template", "spec")
}

// subsetTemplate is the pod template of the subsets.
func subsetTemplate(u *unstructured.Unstructured) map[string]any {
	return object(subset(u), "spec", "template")
}

// unitedDeploymentReplaces: all but those that partitions of subsets keep.
func unitedDeploymentReplaces(u *unstructured.Unstructured) (int32, bool) {
	n, _ := specReplicas(u)
	left := int64(n)
	for _, kept := range object(u.Object, "spec", "updateStrategy", "manualUpdate", "partitions") {
		left = max(0, left-portion(kept, int64(n)))
	}
	return int32(left), false
}

// unitedDependencies are those of its subsets.
func unitedDependencies(u *unstructured.Unstructured) []Reference {
	return exceptClaims(podDependencies(subsetSpec)(u), maps(subset(u), "spec", "volumeClaimTemplates"))
}

// unitedDeploymentHealth is Karmada §6.9, and pods that a partition of a subset keeps on the older revision are not waited
// for. Versions of Kruise that do not count what is available count what is ready.
func unitedDeploymentHealth(spec, status map[string]any) (Health, string) {
	want := countOr(defaultReplicas, spec, "replicas")
	r := rollout{
		want: want, due: want, stay: partitioned,
		replicas: count(status, "replicas"), updated: count(status, "updatedReplicas"),
		available: countOr(count(status, "readyReplicas"), status, "availableReplicas"),
	}
	for _, v := range object(spec, "updateStrategy", "manualUpdate", "partitions") {
		r.due = max(0, r.due-portion(v, want))
	}
	health, message := r.health()
	if holds(status, "SubsetFailure") {
		return Progressing, message + "; a subset fails: " + why(condition(status, "SubsetFailure"))
	}
	return health, message
}

// aggregateUnitedDeployment is Karmada §6.9.
func aggregateUnitedDeployment(answers []Answer) map[string]any {
	total := sum(answers, "replicas", "readyReplicas", "availableReplicas", "unavailableReplicas")
	total["updatedReplicas"] = sumCurrent(answers, "updatedReplicas")
	agree(total, answers, "currentRevision")
	total["conditions"] = slices.Concat(merge(answers, "True", "SubsetProvisioned", "SubsetUpdated"), merge(answers, "False", "SubsetFailure"))
	return total
}
