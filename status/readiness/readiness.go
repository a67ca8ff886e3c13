// Package readiness decides from the probes of a cluster when its condition Ready changes: a flap shorter than a threshold changes
// nothing (Karmada 5.2).
package readiness

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// DefaultThreshold is Karmada's default of both thresholds.
const DefaultThreshold = 30 * time.Second

// Thresholds are the times for which all probes have to contradict the condition before it changes.
type Thresholds struct {
	// Failure is the threshold from Ready to not Ready, Success the one back.
	Failure, Success time.Duration
}

// of returns the threshold of a change to ready.
func (t Thresholds) of(ready bool) time.Duration {
	if ready {
		return t.Success
	}
	return t.Failure
}

// Observation is the result of one probe.
type Observation struct {
	Ready bool
	// Refused means that accord refuses the cluster, or has no credentials for it: no later probe contradicts that by chance.
	Refused bool
	At      time.Time
}

// State is the condition Ready of one cluster between two probes. The zero State has none: the next observation counts at once.
// A restart restores it from the recorded condition, without the probes that contradict it.
type State struct {
	Known, Ready bool
	// Contradicted is the time of the first of the latest probes that contradict Ready; zero if the last probe does not.
	Contradicted time.Time
}

// Recorded returns the State of the recorded condition; nil is a cluster without one, and a cluster that was never probed has none. The
// next observation counts at once after one of the reasons refusals: then a person has changed the cluster or its credentials.
func Recorded(ready *metav1.Condition, refusals []string) State {
	if ready == nil || neverProbed(ready.Reason) || slices.Contains(refusals, ready.Reason) {
		return State{}
	}
	return State{Known: true, Ready: ready.Status == metav1.ConditionTrue}
}

// neverProbed reports whether Ready has a reason of before the first probe.
func neverProbed(reason string) bool {
	return reason == v1alpha1.ClusterStatusNeverUpdated || reason == v1alpha1.AgentNotConnected
}

// Due returns the time at which the condition changes if all probes until then contradict it; zero if the last probe does not.
func (s State) Due(t Thresholds) time.Time {
	if s.Contradicted.IsZero() {
		return time.Time{}
	}
	return s.Contradicted.Add(t.of(!s.Ready))
}

// After returns the State after one more probe. A clock that was set back begins the contradiction again.
func (s State) After(o Observation, t Thresholds) State {
	switch {
	case o.Refused:
		return State{}
	case !s.Known:
		return State{Known: true, Ready: o.Ready}
	case o.Ready == s.Ready:
		return State{Known: true, Ready: s.Ready}
	case s.Contradicted.IsZero() || o.At.Before(s.Contradicted):
		s.Contradicted = o.At
	}
	if !o.At.Before(s.Due(t)) {
		return State{Known: true, Ready: o.Ready}
	}
	return s
}
