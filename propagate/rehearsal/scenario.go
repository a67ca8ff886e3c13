package rehearsal

import (
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/status/readiness"
)

// Scenario is the events of a rehearsal. Times count from its beginning.
type Scenario struct {
	Failures []Failure
	// Unhealthy are the copies that are unhealthy for a time.
	Unhealthy []Unhealthy
	// Rollouts are the staged rollouts that begin with the rehearsal. They decide which version the replacements get.
	Rollouts []Rollout
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

// Unhealthy is a time in which the copies of an object are unhealthy.
type Unhealthy struct {
	Object manifest.ID
	// Cluster of the copy; empty for every cluster, as with a broken image.
	Cluster string
	From    time.Duration
	// Until is the time at which the copies are healthy again; zero for never.
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

// of reports whether the time concerns the copy of an object on a cluster.
func (u Unhealthy) of(id manifest.ID, cluster string) bool {
	return u.Object == id && (u.Cluster == "" || u.Cluster == cluster)
}

// active reports whether the copies are unhealthy at a time.
func (u Unhealthy) active(at time.Duration) bool {
	return at >= u.From && (u.Until == 0 || at < u.Until)
}

// breaks reports whether the scenario makes the copy of an object on a cluster unhealthy at any time.
func (s Scenario) breaks(id manifest.ID, cluster string) bool {
	return slices.ContainsFunc(s.Unhealthy, func(u Unhealthy) bool { return u.of(id, cluster) })
}

// end returns the end of a fault; empty for never.
func end(until time.Duration) policy.Duration {
	if until == 0 {
		return ""
	}
	return policy.Duration(until.String())
}

// threshold returns the time after which a cluster that answers is Ready, or one that does not answer is not Ready.
func (s Scenario) threshold(answers bool) time.Duration {
	if answers {
		return s.SuccessThreshold
	}
	return s.Threshold
}
