package kind

// argoRollout is the Rollout of Argo, of which the base knows nothing: it has no count, and is judged as any other kind.
var argoRollout = Kind{
	Health:   genericHealth,
	Template: template,
	Replaces: replacesUnless("spec.paused"),
}
