package kind

// resourceQuota counts what its scopes select.
var resourceQuota = Kind{
	Health:    genericHealth,
	Immutable: fixed{"spec.scopeSelector": nil, "spec.scopes": nil}.changed,
}
