package rehearsal

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/taint"
)

// member is a cluster of a rehearsal.
type member struct {
	fleet.Cluster
	answers, ready bool
	// changed is the time at which the cluster began or ceased to answer.
	changed  time.Duration
	blocked  *metav1.Condition
	failures []Failure
}

// newMember returns the cluster as the facts have it: a cluster that is not Ready stays so.
func newMember(c fleet.Cluster, all []Failure) *member {
	m := &member{Cluster: c, answers: true, ready: true}
	if status := c.Conditions["Ready"]; status != "" && status != string(metav1.ConditionTrue) {
		m.answers, m.ready = false, false
	}
	for _, f := range all {
		if f.Cluster == c.Name {
			m.failures = append(m.failures, f)
		}
	}
	return m
}

// follow updates the health of the member at a time, and returns what happened.
func (m *member) follow(at time.Duration, s Scenario) []Event {
	if len(m.failures) == 0 {
		return nil
	}
	var events []Event
	answers := !slices.ContainsFunc(m.failures, func(f Failure) bool { return f.active(at) })
	if answers != m.answers {
		m.answers, m.changed = answers, at
		events = append(events, map[bool]Event{true: Answers, false: Unreachable}[answers])
	}
	if m.ready != m.answers && at-m.changed >= s.threshold(m.answers) {
		m.ready = m.answers
		events = append(events, map[bool]Event{true: Ready, false: NotReady}[m.ready])
	}
	return events
}

// taint updates the automatic taints, and reports whether the taint NoExecute was added. all is the health of the fleet.
func (m *member) taint(all taint.Fleet, timeout time.Duration, now time.Time) (evicts bool) {
	if len(m.failures) == 0 {
		return false
	}
	h := taint.Health{Ready: metav1.ConditionTrue, Answers: m.answers, EvictionTimeout: timeout}
	if !m.ready {
		h.Ready = metav1.ConditionFalse
		m.blocked = all.Blocked(m.blocked, 0, now)
		h.Blocked = m.blocked
	} else {
		m.blocked = nil
	}
	had := noExecute(m.Taints)
	m.Taints = taint.Automatic(m.Taints, h, now)
	m.Conditions = maps.Clone(m.Conditions)
	if m.Conditions == nil {
		m.Conditions = map[string]string{}
	}
	m.Conditions["Ready"] = string(h.Ready)
	return !had && noExecute(m.Taints)
}

func noExecute(taints []corev1.Taint) bool {
	return slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute })
}

// input returns the cluster as Decide reads it.
func (m *member) input() failover.Cluster {
	return failover.Cluster{Name: m.Name, Unreachable: !m.ready, Answers: m.answers, Taints: m.Taints}
}
