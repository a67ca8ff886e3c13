package kind

// runtimeClass is what running pods were started with.
var runtimeClass = Kind{
	Health:    genericHealth,
	Immutable: fixed{"handler": nil}.changed,
}
