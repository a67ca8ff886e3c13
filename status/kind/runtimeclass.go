package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

var runtimeClass = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"handler": nil}.Changed,
}
