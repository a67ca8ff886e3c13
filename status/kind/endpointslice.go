package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// endpointSlice has addresses of one type.
var endpointSlice = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"addressType": nil}.Changed,
}
