package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/health"
)

// serviceAccount yields a list that is one value to the API server: whoever adds the Secret of a registry on the member
// replaces all of it. The list secrets is one by name: what others add to that is left alone anyway.
var serviceAccount = Kind{Health: health.Present(there), Yields: []string{"imagePullSecrets"}}
