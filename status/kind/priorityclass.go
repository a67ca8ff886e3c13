package kind

import (
	"github.com/accord-dev/accord/status/kind/internal/read"
)

// priorityClass is copied into pods when they are made.
var priorityClass = Kind{
	Health:    genericHealth,
	Immutable: read.Fixed{"preemptionPolicy": "PreemptLowerPriority", "value": int64(0)}.Changed,
}
