package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

// advancedStatefulSet is the StatefulSet of Kruise.
var advancedStatefulSet = Kind{
	Replicas:     pods.Replicas,
	SetReplicas:  pods.SetReplicas,
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     pods.Unreadable(pods.InTemplate, "replicas"),
	Dependencies: statefulSetDependencies,
	Observes:     true,
	Health:       health.Observed(statefulSetHealth),
	Reflect: read.Pick{
		Counters: []string{"replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "updatedReadyReplicas"},
		Texts:    []string{"updateRevision", "currentRevision"},
	}.Reflect,
	Aggregate: aggregateAdvancedStatefulSet,
	Template:  pods.Template,
	Replaces:  statefulSetReplaces,
}

// aggregateAdvancedStatefulSet is Karmada §6.9; the counters of updated pods count only clusters that run the wanted
// object.
func aggregateAdvancedStatefulSet(answers []Answer) map[string]any {
	total := sum.Fields(answers, "replicas", "readyReplicas", "currentReplicas", "availableReplicas")
	total["updatedReplicas"] = sum.Current(answers, "updatedReplicas")
	total["updatedReadyReplicas"] = sum.Current(answers, "updatedReadyReplicas")
	sum.Agree(total, answers, "updateRevision", "currentRevision")
	return total
}
