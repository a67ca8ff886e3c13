package kind

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var statefulSet = Kind{
	Replicas:     specReplicas,
	SetReplicas:  setSpecReplicas,
	Requirements: requirements(templateSpec),
	Dependencies: statefulSetDependencies,
	Observes:     true,
	Health:       observed(statefulSetHealth),
	Reflect:      counters("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
	Aggregate:    aggregateStatefulSet,
}

// statefulSetDependencies leaves out the claims that the set makes for its pods (Karmada §6.7).
func statefulSetDependencies(u *unstructured.Unstructured) []Reference {
	made := map[string]bool{}
	for _, t := range maps(u.Object, "spec", "volumeClaimTemplates") {
		made[text(t, "metadata", "name")] = true
	}
	return slices.DeleteFunc(podDependencies(templateSpec)(u), func(r Reference) bool {
		return r.Kind == "PersistentVolumeClaim" && made[r.Name]
	})
}

// statefulSetHealth is Karmada §6.6 with the update strategies told apart. With a partition only the replicas from the
// partition on have to be updated. With OnDelete nobody but a person updates pods: the set is healthy when all its
// replicas are available, and the message says how many run an older revision.
func statefulSetHealth(spec, status map[string]any) (Health, string) {
	want := countOr(defaultReplicas, spec, "replicas")
	replicas, updated, available := count(status, "replicas"), count(status, "updatedReplicas"), count(status, "availableReplicas")
	due := max(0, want-count(spec, "updateStrategy", "rollingUpdate", "partition"))
	onDelete := text(spec, "updateStrategy", "type") == "OnDelete"
	if onDelete {
		due = 0
	}
	switch {
	case updated < due, available < want:
		return Progressing, fmt.Sprintf("%d of %d updated, %d of %d available", updated, max(due, updated), available, want)
	case replicas > want:
		return Progressing, fmt.Sprintf("%d surplus replicas are still there", replicas-want)
	case onDelete && updated < want:
		return Healthy, fmt.Sprintf("%d of %d available; %d run an older revision until their pods are deleted (OnDelete)", available, want, want-updated)
	case due < want && updated < want:
		return Healthy, fmt.Sprintf("%d of %d available; %d stay on the older revision (partition)", available, want, want-updated)
	}
	return Healthy, fmt.Sprintf("%d of %d available", available, want)
}

// aggregateStatefulSet is Karmada §6.5; updatedReplicas counts only clusters that run what was decided.
func aggregateStatefulSet(answers []Answer) map[string]any {
	total := sum(answers, "replicas", "readyReplicas", "currentReplicas", "availableReplicas")
	total["updatedReplicas"] = sumCurrent(answers, "updatedReplicas")
	return total
}
