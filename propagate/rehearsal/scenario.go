package rehearsal

import (
	"time"

	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/status/readiness"
)

// Scenario is the events of a rehearsal. Times count from its beginning.
type Scenario struct {
	Failures []Failure
	// For is the length of the rehearsal.
	For time.Duration
	// HealthyAfter is the time from the delivery of a copy until it is healthy.
	HealthyAfter time.Duration
	Settings     failover.Settings
	// Threshold is the time for which a cluster does not answer until it is not Ready, SuccessThreshold that for which it answers until it
	// is Ready again.
	Threshold, SuccessThreshold time.Duration
	// EvictionTimeout is the time from the taint NoSchedule of a cluster that is not Ready to its taint NoExecute.
	EvictionTimeout time.Duration
}

// Failure is a time in which a cluster does not answer.
type Failure struct {
	Cluster string
	From    time.Duration
	// Until is the time at which the cluster answers again; zero for never.
	Until time.Duration
}

// DefaultEvictionTimeout is the default of failover-eviction-timeout.
const DefaultEvictionTimeout = 5 * time.Minute

// WithDefaults returns the scenario with the defaults of the controllers for the times that are zero.
func (s Scenario) WithDefaults() Scenario {
	if s.Threshold == 0 {
		s.Threshold = readiness.DefaultThreshold
	}
	if s.SuccessThreshold == 0 {
		s.SuccessThreshold = readiness.DefaultThreshold
	}
	if s.EvictionTimeout == 0 {
		s.EvictionTimeout = DefaultEvictionTimeout
	}
	return s
}

// active reports whether the cluster of the failure does not answer at a time.
func (f Failure) active(at time.Duration) bool { return at >= f.From && (f.Until == 0 || at < f.Until) }

// threshold returns the time after which a cluster that answers is Ready, or one that does not answer is not Ready.
func (s Scenario) threshold(answers bool) time.Duration {
	if answers {
		return s.SuccessThreshold
	}
	return s.Threshold
}
