package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

var cloneSet = Kind{
	Replicas:     specReplicas,
	SetReplicas:  setSpecReplicas,
	Requirements: requirements(templateSpec),
	Dependencies: podDependencies(templateSpec),
	Observes:     true,
	Health:       observed(cloneSetHealth),
	Reflect: pick{
		counters: []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "updatedReadyReplicas", "expectedUpdatedReplicas"},
		texts:    []string{"updateRevision", "currentRevision", "labelSelector"},
	}.reflect,
	Aggregate: aggregateCloneSet,
	Template:  template,
	Replaces:  cloneSetReplaces,
}

// cloneSetHealth is Karmada §6.9, and pods that a partition keeps on the older revision are not waited for.
func cloneSetHealth(spec, status map[string]any) (Health, string) {
	want := countOr(defaultReplicas, spec, "replicas")
	r := rollout{
		want: want, due: want - partition(at(spec, "updateStrategy", "partition"), want), stay: partitioned,
		replicas: count(status, "replicas"), updated: count(status, "updatedReplicas"), available: count(status, "availableReplicas"),
	}
	if truth(spec, "updateStrategy", "paused") {
		r.paused = "spec.updateStrategy.paused"
	}
	return r.health()
}

// cloneSetReplaces: all but those that the partition keeps.
func cloneSetReplaces(u *unstructured.Unstructured) (int32, bool) {
	if truth(u.Object, "spec", "updateStrategy", "paused") {
		return 0, false
	}
	n, _ := specReplicas(u)
	return n - int32(partition(at(u.Object, "spec", "updateStrategy", "partition"), int64(n))), false
}

// partition is how many pods of a CloneSet stay on the older revision. With a percentage below 100 one pod is always
// updated, as its controller has it.
func partition(v any, of int64) int64 {
	kept := portion(v, of)
	if s, percent := v.(string); percent && s != "100%" && of > 1 && kept == of {
		kept--
	}
	return kept
}

// aggregateCloneSet is Karmada §6.9; counters of what is updated count only clusters that run what was decided.
func aggregateCloneSet(answers []Answer) map[string]any {
	total := sum(answers, "replicas", "readyReplicas", "availableReplicas")
	for _, f := range []string{"updatedReplicas", "updatedReadyReplicas", "expectedUpdatedReplicas"} {
		total[f] = sumCurrent(answers, f)
	}
	agree(total, answers, "updateRevision", "currentRevision", "labelSelector")
	return total
}
