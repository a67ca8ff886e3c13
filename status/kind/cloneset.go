package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var cloneSet = Kind{
	Replicas:     pods.Replicas,
	SetReplicas:  pods.SetReplicas,
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     pods.Unreadable(pods.InTemplate, "replicas"),
	Dependencies: pods.Dependencies(pods.TemplateSpec),
	Observes:     true,
	Health:       health.Observed(cloneSetHealth),
	Reflect: read.Pick{
		Counters: []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "updatedReadyReplicas", "expectedUpdatedReplicas"},
		Texts:    []string{"updateRevision", "currentRevision", "labelSelector"},
	}.Reflect,
	Aggregate: aggregateCloneSet,
	Template:  pods.Template,
	Replaces:  cloneSetReplaces,
}

// cloneSetHealth is Karmada §6.9, but does not wait for pods that a partition keeps on the older revision.
func cloneSetHealth(spec, status map[string]any) (Health, string) {
	want := read.CountOr(pods.DefaultReplicas, spec, "replicas")
	r := health.Rollout{
		Want: want, Due: want - partition(read.At(spec, "updateStrategy", "partition"), want), Stay: health.Partitioned,
		Replicas: read.Count(status, "replicas"), Updated: read.Count(status, "updatedReplicas"), Available: read.Count(status, "availableReplicas"),
	}
	if read.Bool(spec, "updateStrategy", "paused") {
		r.Paused = "spec.updateStrategy.paused"
	}
	return r.Health()
}

// cloneSetReplaces returns all but those that the partition keeps.
func cloneSetReplaces(u *unstructured.Unstructured) (int32, bool) {
	if read.Bool(u.Object, "spec", "updateStrategy", "paused") {
		return 0, false
	}
	n, _ := pods.Replicas(u)
	return n - int32(partition(read.At(u.Object, "spec", "updateStrategy", "partition"), int64(n))), false
}

// partition returns how many pods of a CloneSet stay on the older revision. With a percentage below 100 its controller
// always updates one pod.
func partition(v any, of int64) int64 {
	kept := health.Portion(v, of)
	if s, percent := v.(string); percent && s != "100%" && of > 1 && kept == of {
		kept--
	}
	return kept
}

// aggregateCloneSet is Karmada §6.9; the counters of updated pods count only clusters that run the wanted object.
func aggregateCloneSet(answers []Answer) map[string]any {
	total := sum.Fields(answers, "replicas", "readyReplicas", "availableReplicas")
	for _, f := range []string{"updatedReplicas", "updatedReadyReplicas", "expectedUpdatedReplicas"} {
		total[f] = sum.Current(answers, f)
	}
	sum.Agree(total, answers, "updateRevision", "currentRevision", "labelSelector")
	return total
}
