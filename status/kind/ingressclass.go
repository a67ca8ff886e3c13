package kind

// ingressClass belongs to the controller that it names.
var ingressClass = Kind{
	Health:    genericHealth,
	Immutable: fixed{"spec.controller": nil}.changed,
}
