package kind

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var statefulSet = Kind{
	Replicas:     pods.Replicas,
	SetReplicas:  pods.SetReplicas,
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     pods.Unreadable(pods.InTemplate, "replicas"),
	Dependencies: statefulSetDependencies,
	Observes:     true,
	Health:       health.Observed(statefulSetHealth),
	Reflect:      read.Counters("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
	Aggregate:    aggregateStatefulSet,
	Template:     pods.Template,
	Replaces:     statefulSetReplaces,
	Immutable:    statefulSetImmutable,
}

// statefulSetDependencies omits the claims that the set creates for its pods (Karmada §6.7).
func statefulSetDependencies(u *unstructured.Unstructured) []Reference {
	return exceptClaims(pods.Dependencies(pods.TemplateSpec)(u), read.Objects(u.Object, "spec", "volumeClaimTemplates"))
}

// exceptClaims omits references to claims that are created from templates.
func exceptClaims(refs []Reference, templates []map[string]any) []Reference {
	made := map[string]bool{}
	for _, t := range templates {
		made[read.Text(t, "metadata", "name")] = true
	}
	return slices.DeleteFunc(refs, func(r Reference) bool { return r.Kind == "PersistentVolumeClaim" && made[r.Name] })
}

// statefulSetHealth is Karmada §6.6 with separate rules for the update strategies. With a partition only the replicas
// from the partition on have to be updated. With OnDelete only a person updates pods: the set is healthy when all its
// replicas are available, and the message has the number on an older revision. Only the StatefulSet of Kruise has
// paused.
func statefulSetHealth(spec, status map[string]any) (Health, string) {
	want := read.CountOr(pods.DefaultReplicas, spec, "replicas")
	r := health.Rollout{
		Want: want, Due: want - health.Portion(read.At(spec, "updateStrategy", "rollingUpdate", "partition"), want), Stay: health.Partitioned,
		Replicas: read.Count(status, "replicas"), Updated: read.Count(status, "updatedReplicas"), Available: read.Count(status, "availableReplicas"),
	}
	if read.Text(spec, "updateStrategy", "type") == "OnDelete" {
		r.Due, r.Stay = 0, health.OnDelete
	}
	if read.Bool(spec, "updateStrategy", "rollingUpdate", "paused") {
		r.Paused = "spec.updateStrategy.rollingUpdate.paused"
	}
	return r.Health()
}

// statefulSetReplaces: pods below the partition stay, and with OnDelete all do.
func statefulSetReplaces(u *unstructured.Unstructured) (int32, bool) {
	n, _ := pods.Replicas(u)
	rolling := read.Object(u.Object, "spec", "updateStrategy", "rollingUpdate")
	if read.Text(u.Object, "spec", "updateStrategy", "type") == "OnDelete" || read.Bool(rolling, "paused") {
		return 0, false
	}
	return n - int32(health.Portion(rolling["partition"], int64(n))), false
}

// statefulSetImmutable checks all of its spec except the fields that the API server lists when it refuses: replicas,
// ordinals, template, updateStrategy, revisionHistoryLimit, persistentVolumeClaimRetentionPolicy and minReadySeconds.
func statefulSetImmutable(before, after *unstructured.Unstructured) []string {
	changed := read.Fixed{"spec.podManagementPolicy": "OrderedReady", "spec.selector": nil, "spec.serviceName": ""}.Changed(before, after)
	if !pods.SameClaims(read.At(before.Object, "spec", "volumeClaimTemplates"), read.At(after.Object, "spec", "volumeClaimTemplates")) {
		changed = append(changed, "spec.volumeClaimTemplates")
	}
	return changed
}

// aggregateStatefulSet is Karmada §6.5; updatedReplicas counts only clusters that run the wanted object.
func aggregateStatefulSet(answers []Answer) map[string]any {
	total := sum.Fields(answers, "replicas", "readyReplicas", "currentReplicas", "availableReplicas")
	total["updatedReplicas"] = sum.Current(answers, "updatedReplicas")
	return total
}
