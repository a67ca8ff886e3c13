package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

// advancedDaemonSet is the DaemonSet of Kruise.
var advancedDaemonSet = Kind{
	Dependencies: pods.Dependencies(pods.TemplateSpec),
	Observes:     true,
	Health:       health.Observed(daemonSetHealth),
	Reflect: read.Pick{
		Counters: []string{"currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
			"numberReady", "updatedNumberScheduled", "numberUnavailable"},
		Texts: []string{"daemonSetHash"},
	}.Reflect,
	Aggregate: aggregateAdvancedDaemonSet,
	Template:  pods.Template,
	Replaces:  daemonSetReplaces,
}

// aggregateAdvancedDaemonSet is Karmada §6.9.
func aggregateAdvancedDaemonSet(answers []Answer) map[string]any {
	total := aggregateDaemonSet(answers)
	sum.Agree(total, answers, "daemonSetHash")
	return total
}
