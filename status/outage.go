package status

import (
	"fmt"
	"time"
)

// Outage is how it is that a cluster is not heard from.
type Outage struct {
	// Reason is in one word why; empty is Unreachable.
	Reason string
	// Since is when it began; zero when that is not known.
	Since time.Time
	// Retry is about how often the cluster is tried; 0 when that is not known. It grows for a while and then stays, so
	// that a status which says it is not written anew with every attempt.
	Retry time.Duration
}

// of puts what is known before why a cluster is not heard from, where it is not cut off.
func (s Outage) of(why string) string {
	if s.Since.IsZero() {
		return why
	}
	return fmt.Sprintf("circuit breaker open since %s, tried again every %s: %s", s.Since.UTC().Format(time.RFC3339), s.Retry, why)
}
