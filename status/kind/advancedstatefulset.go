package kind

// advancedStatefulSet is the StatefulSet of Kruise.
var advancedStatefulSet = Kind{
	Replicas:     specReplicas,
	SetReplicas:  setSpecReplicas,
	Requirements: requirements(templateSpec),
	Dependencies: statefulSetDependencies,
	Observes:     true,
	Health:       observed(statefulSetHealth),
	Reflect: pick{
		counters: []string{"replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "updatedReadyReplicas"},
		texts:    []string{"updateRevision", "currentRevision"},
	}.reflect,
	Aggregate: aggregateAdvancedStatefulSet,
	Template:  template,
	Replaces:  statefulSetReplaces,
}

// aggregateAdvancedStatefulSet is Karmada §6.9; counters of what is updated count only clusters that run what was decided.
func aggregateAdvancedStatefulSet(answers []Answer) map[string]any {
	total := sum(answers, "replicas", "readyReplicas", "currentReplicas", "availableReplicas")
	total["updatedReplicas"] = sumCurrent(answers, "updatedReplicas")
	total["updatedReadyReplicas"] = sumCurrent(answers, "updatedReadyReplicas")
	agree(total, answers, "updateRevision", "currentRevision")
	return total
}
