package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// runtimeClass is what running pods were started with.
var runtimeClass = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"handler": nil}.Changed,
}
