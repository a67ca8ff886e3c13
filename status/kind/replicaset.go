package kind

import "fmt"

var replicaSet = Kind{
	Replicas:     specReplicas,
	SetReplicas:  setSpecReplicas,
	Requirements: requirements(templateSpec),
	Dependencies: podDependencies(templateSpec),
	Observes:     true,
	Health:       observed(replicaSetHealth),
	Reflect:      counters("replicas", "readyReplicas", "availableReplicas"),
	Aggregate:    summed("replicas", "readyReplicas", "availableReplicas"),
	Immutable:    fixed{"spec.selector": nil}.changed,
}

// replicaSetHealth is Karmada §6.6, and surplus replicas must be gone.
func replicaSetHealth(spec, status map[string]any) (Health, string) {
	want := countOr(defaultReplicas, spec, "replicas")
	replicas, available := count(status, "replicas"), count(status, "availableReplicas")
	message := fmt.Sprintf("%d of %d available", available, want)
	switch {
	case available < want:
		return Progressing, message + blocked(status)
	case replicas > want:
		return Progressing, fmt.Sprintf("%d surplus replicas are still there", replicas-want)
	}
	return Healthy, message
}
