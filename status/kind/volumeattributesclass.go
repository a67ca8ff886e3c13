package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// volumeAttributesClass describes volumes that exist already.
var volumeAttributesClass = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"driverName": nil, "parameters": nil}.Changed,
}
