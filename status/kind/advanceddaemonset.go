package kind

// advancedDaemonSet is the DaemonSet of Kruise.
var advancedDaemonSet = Kind{
	Dependencies: podDependencies(templateSpec),
	Observes:     true,
	Health:       observed(daemonSetHealth),
	Reflect: pick{
		counters: []string{"currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
			"numberReady", "updatedNumberScheduled", "numberUnavailable"},
		texts: []string{"daemonSetHash"},
	}.reflect,
	Aggregate: aggregateAdvancedDaemonSet,
	Template:  template,
	Replaces:  daemonSetReplaces,
}

// aggregateAdvancedDaemonSet is Karmada §6.9.
func aggregateAdvancedDaemonSet(answers []Answer) map[string]any {
	total := aggregateDaemonSet(answers)
	agree(total, answers, "daemonSetHash")
	return total
}
