package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// ingressClass belongs to the controller that it names.
var ingressClass = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"spec.controller": nil}.Changed,
}
