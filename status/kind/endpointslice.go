package kind

// endpointSlice has addresses of one type.
var endpointSlice = Kind{
	Health:    genericHealth,
	Immutable: fixed{"addressType": nil}.changed,
}
