package kind

// storageClass describes volumes that exist already.
var storageClass = Kind{
	Health: genericHealth,
	Immutable: fixed{
		"parameters": nil, "provisioner": nil, "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
	}.changed,
}
