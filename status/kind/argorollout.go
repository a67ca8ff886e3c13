package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/pods"
)

// argoRollout is the Rollout of Argo, of which the base knows nothing: it has no count, and is judged as any other kind.
var argoRollout = Kind{
	Health:   genericHealth,
	Template: pods.Template,
	Replaces: pods.ReplacesUnless("spec.paused"),
}
