package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// storageClass describes volumes that exist already.
var storageClass = Kind{
	Health: genericHealth,
	Immutable: read.Fixed{
		"parameters": nil, "provisioner": nil, "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
	}.Changed,
}
