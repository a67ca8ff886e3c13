package kind

import (
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
	Template:     template,
	Replaces:     statefulSetReplaces,
	Immutable:    statefulSetImmutable,
}

// statefulSetDependencies leaves out the claims that the set makes for its pods (Karmada §6.7).
func statefulSetDependencies(u *unstructured.Unstructured) []Reference {
	return exceptClaims(podDependencies(templateSpec)(u), maps(u.Object, "spec", "volumeClaimTemplates"))
}

// exceptClaims leaves out references to claims that are made from templates.
func exceptClaims(refs []Reference, templates []map[string]any) []Reference {
	made := map[string]bool{}
	for _, t := range templates {
		made[text(t, "metadata", "name")] = true
	}
	return slices.DeleteFunc(refs, func(r Reference) bool { return r.Kind == "PersistentVolumeClaim" && made[r.Name] })
}

// statefulSetHealth is Karmada §6.6 with the update strategies told apart. With a partition only the replicas from the
// partition on have to be updated. With OnDelete nobody but a person updates pods: the set is healthy when all its
// replicas are available, and the message says how many run an older revision. Paused is known to the StatefulSet of Kruise only.
func statefulSetHealth(spec, status map[string]any) (Health, string) {
	want := countOr(defaultReplicas, spec, "replicas")
	r := rollout{
		want: want, due: want - portion(at(spec, "updateStrategy", "rollingUpdate", "partition"), want), stay: partitioned,
		replicas: count(status, "replicas"), updated: count(status, "updatedReplicas"), available: count(status, "availableReplicas"),
	}
	if text(spec, "updateStrategy", "type") == "OnDelete" {
		r.due, r.stay = 0, onDelete
	}
	if truth(spec, "updateStrategy", "rollingUpdate", "paused") {
		r.paused = "spec.updateStrategy.rollingUpdate.paused"
	}
	return r.health()
}

// statefulSetReplaces: those below the partition stay, and with OnDelete all do.
func statefulSetReplaces(u *unstructured.Unstructured) (int32, bool) {
	n, _ := specReplicas(u)
	rolling := object(u.Object, "spec", "updateStrategy", "rollingUpdate")
	if text(u.Object, "spec", "updateStrategy", "type") == "OnDelete" || truth(rolling, "paused") {
		return 0, false
	}
	return n - int32(portion(rolling["partition"], int64(n))), false
}

// statefulSetImmutable is all of its spec but what the API server lists when it refuses: replicas, ordinals, template,
// updateStrategy, revisionHistoryLimit, persistentVolumeClaimRetentionPolicy and minReadySeconds.
func statefulSetImmutable(before, after *unstructured.Unstructured) []string {
	changed := fixed{"spec.podManagementPolicy": "OrderedReady", "spec.selector": nil, "spec.serviceName": ""}.changed(before, after)
	if !sameClaims(at(before.Object, "spec", "volumeClaimTemplates"), at(after.Object, "spec", "volumeClaimTemplates")) {
		changed = append(changed, "spec.volumeClaimTemplates")
	}
	return changed
}

// aggregateStatefulSet is Karmada §6.5; updatedReplicas counts only clusters that run what was decided.
func aggregateStatefulSet(answers []Answer) map[string]any {
	total := sum(answers, "replicas", "readyReplicas", "currentReplicas", "availableReplicas")
	total["updatedReplicas"] = sumCurrent(answers, "updatedReplicas")
	return total
}
