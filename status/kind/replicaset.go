package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var replicaSet = Kind{
	Replicas:     pods.Replicas,
	SetReplicas:  pods.SetReplicas,
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     pods.Unreadable(pods.InTemplate, "replicas"),
	Dependencies: pods.Dependencies(pods.TemplateSpec),
	Observes:     true,
	Health:       health.Observed(replicaSetHealth),
	Reflect:      read.Counters("replicas", "readyReplicas", "availableReplicas"),
	Aggregate:    sum.Summed("replicas", "readyReplicas", "availableReplicas"),
	Immutable:    read.Fixed{"spec.selector": nil}.Changed,
}

// replicaSetHealth is Karmada §6.6, but surplus replicas must be gone.
func replicaSetHealth(spec, status map[string]any) (Health, string) {
	want := read.CountOr(pods.DefaultReplicas, spec, "replicas")
	replicas, available := read.Count(status, "replicas"), read.Count(status, "availableReplicas")
	message := health.Available(available, want)
	switch {
	case available < want:
		return Progressing, message + blocked(status)
	case replicas > want:
		return Progressing, health.StillThere(replicas-want, "surplus replica")
	}
	return Healthy, message
}
