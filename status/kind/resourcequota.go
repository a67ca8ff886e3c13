package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// resourceQuota counts the objects that its scopes select.
var resourceQuota = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"spec.scopeSelector": nil, "spec.scopes": nil}.Changed,
}
