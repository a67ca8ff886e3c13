package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/pods"
)

// argoRollout is the Rollout of Argo. Karmada has no rules for it: it has no count and the generic health.
var argoRollout = Kind{
	Health:   genericHealth,
	Template: pods.Template,
	Replaces: pods.ReplacesUnless("spec.paused"),
}
