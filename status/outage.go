package status

import (
	"fmt"
	"time"
)

// Outage has details of an unreachable cluster.
type Outage struct {
	// Reason is one word; empty is Unreachable.
	Reason string
	// Since is the time when the circuit breaker opened; zero if it is closed or unknown.
	Since time.Time
	// Retry is the approximate interval of retries; 0 if it is unknown. It grows for a while and then stays, so that a
	// status with it is not rewritten at every attempt.
	Retry time.Duration
}

// of prepends the details to the reason why a cluster is unreachable.
func (s Outage) of(why string) string {
	if s.Since.IsZero() {
		return why
	}
	return fmt.Sprintf("circuit breaker open since %s, tried again every %s: %s", s.Since.UTC().Format(time.RFC3339), s.Retry, why)
}
