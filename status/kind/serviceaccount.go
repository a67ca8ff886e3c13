package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
)

// serviceAccount yields a list that is one value to the API server: a member that adds the Secret of a registry
// replaces all of it. The list secrets is merged by name: entries of others stay anyway.
var serviceAccount = Kind{Health: health.Present(there), Yields: []string{"imagePullSecrets"}}
