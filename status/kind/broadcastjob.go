package kind

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// broadcastJob is the Job of Kruise that runs once on every node. Its status is in status/interpret/kinds.
var broadcastJob = Kind{
	Replicas: broadcastReplicas,
	// Karmada writes the 1 that it takes a missing parallelism for, and the job does one node after the other; here it
	// stays without a limit.
	SetReplicas:  func(u *unstructured.Unstructured, n int32) { pods.SetCount(u, "parallelism", n) },
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     broadcastMistakes,
	Dependencies: pods.Dependencies(pods.TemplateSpec),
	Health:       genericHealth,
}

// broadcastReplicas returns the parallelism (Karmada §6.9). A percentage of nodes is not a count that can be divided.
func broadcastReplicas(u *unstructured.Unstructured) (int32, bool) {
	if _, percentage := read.At(u.Object, "spec", "parallelism").(string); percentage {
		return 0, false
	}
	return pods.Count(u, "parallelism")
}

// broadcastMistakes allows a percentage.
func broadcastMistakes(u *unstructured.Unstructured) []manifest.Mistake {
	if text, is := read.At(u.Object, "spec", "parallelism").(string); is && strings.HasSuffix(text, "%") {
		return pods.Unreadable(pods.InTemplate)(u)
	}
	return pods.Unreadable(pods.InTemplate, "parallelism")(u)
}
