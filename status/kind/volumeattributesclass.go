package kind

// volumeAttributesClass describes volumes that exist already.
var volumeAttributesClass = Kind{
	Health:    genericHealth,
	Immutable: fixed{"driverName": nil, "parameters": nil}.changed,
}
