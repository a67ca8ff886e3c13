package state

import (
	"fmt"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/status"
)

// Reasons of events about Federations, Releases and Deliveries, beside those of their conditions.
const (
	suspendedReason = "Suspended"
	resumedReason   = "Resumed"
)

const (
	// sourceFailures is how often in a row the sources cannot be read before an event is emitted.
	sourceFailures = 2
	// failingGrace is how long a failure lasts that may end by itself (a conflict that is retried, a kind that is not served
	// yet, a pod that restarts) before an event is emitted.
	failingGrace = time.Minute
)

// federationNews remembers the events about a Federation.
type federationNews struct {
	known     bool // suspended was emitted, by this process or the one before
	suspended bool
	failures  int // how often in a row the sources could not be read
}

// sourceFailed emits an event if the sources could not be read repeatedly.
func (n *federationNews) sourceFailed(c *Changes, about *v1alpha1.Federation, err error) {
	if n.failures++; n.failures == sourceFailures {
		c.event(about, Warning, status.FetchFailed, "the sources cannot be read; the clusters keep what they have: "+err.Error())
	}
}

// Reconciled records that the Federation was reconciled, and emits an event if it was suspended or resumed.
func (f *Federation) Reconciled(now time.Time) (c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	about, n := f.declared.object, &f.news
	f.declared.reconciledAt = now
	if f.newest.sourceError == "" {
		n.failures = 0
	}
	if !n.known {
		n.known = true
		n.suspended = meta.IsStatusConditionTrue(about.Status.Conditions, v1alpha1.Suspended)
	}
	if suspend := about.Spec.Suspend; suspend != n.suspended {
		n.suspended = suspend
		if suspend {
			c.event(about, Normal, suspendedReason, "suspended: sources are not fetched and clusters are not changed")
		} else {
			c.event(about, Normal, resumedReason, "resumed: sources are fetched again")
		}
	}
	return c
}

// SourceFailed reports whether the sources could not be read the last time.
func (f *Federation) SourceFailed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest.sourceError != ""
}

// rejected emits an event that a commit cannot be planned, with the first mistake, unless the Release reported it before.
func (c *Changes) rejected(about *v1alpha1.Federation, r *v1alpha1.Release, before v1alpha1.ReleaseStatus, err error) {
	mistakes := lines(err)
	if len(before.Errors) > 0 && strings.HasPrefix(mistakes[0], strings.TrimSuffix(before.Errors[0], "...")) {
		return
	}
	text := fmt.Sprintf("commit %s is rejected, and the clusters keep what they have: %s", r.Spec.Revision, mistakes[0])
	if more := len(mistakes) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	c.event(about, Warning, status.BuildFailed, text)
}

// ReleaseWritten emits an event when a Release becomes Ready, once for every plan of it: an object that becomes unhealthy
// later is an event of its Delivery.
func (f *Federation) ReleaseWritten(r *v1alpha1.Release, now time.Time) (c Changes) {
	ready := meta.FindStatusCondition(r.Status.Conditions, fluxmeta.ReadyCondition)
	if ready == nil || ready.Status != metav1.ConditionTrue {
		return c
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.leadTime.TakeReady(r.Name) {
		return c
	}
	text := ready.Message
	if r.Spec.CommittedAt != nil {
		text += ", " + duration.HumanDuration(counts.Since(r, now)) + " after the commit"
	}
	c.event(r, Normal, ready.Reason, text)
	return c
}

// deliveryNews remembers the events about one Delivery.
type deliveryNews struct {
	known bool // the rest continues from the status that the process before this one left
	held  bool // by a policy; suspension of the Federation is an event of the Federation
	// failing is the reason for which the Delivery fails now, since when; empty while it does not.
	failing string
	since   time.Time
	// emitted are the reasons of this generation with an event.
	emitted    map[string]bool
	generation int64
}

// deliveryEvents emits the events of a Delivery that is about to have another status.
func (f *Federation) deliveryEvents(c *Changes, l *cluster, next v1alpha1.DeliveryStatus, reach Reachability, now time.Time) {
	if ready(l.delivery.Status) && !ready(next) {
		l.counts.LastReady = reach.LastProbe
	}
	suspended := f.declared.object.Spec.Suspend || f.heldByStages(l.name)
	if again := l.news.compare(c, l.delivery, next, suspended, l.terminal, now); again > 0 {
		f.updateCluster(c, l.name, again)
	}
}

func ready(s v1alpha1.DeliveryStatus) bool {
	return meta.IsStatusConditionTrue(s.Conditions, fluxmeta.ReadyCondition)
}

// compare emits the events of a change of status. It returns how soon to compare again because something fails that may
// still end by itself; 0 for not at all. terminal is set if a retry does not help.
func (n *deliveryNews) compare(c *Changes, d *v1alpha1.Delivery, next v1alpha1.DeliveryStatus, suspended, terminal bool, now time.Time) (again time.Duration) {
	n.begin(d)
	if held := meta.FindStatusCondition(next.Conditions, v1alpha1.HeldType); !suspended && (held != nil) != n.held {
		n.held = held != nil
		if n.held {
			c.event(d, Normal, suspendedReason, held.Message)
		} else {
			c.event(d, Normal, resumedReason, "nothing is held any more")
		}
	}
	ready := meta.FindStatusCondition(next.Conditions, fluxmeta.ReadyCondition)
	switch {
	case ready.Status == metav1.ConditionTrue:
		n.failing = ""
		clear(n.emitted)
	case ready.Status != metav1.ConditionFalse, ready.Reason == status.ClustersUnreachable: // an event of the Cluster
		n.failing = ""
	default:
		stalled := meta.IsStatusConditionTrue(next.Conditions, fluxmeta.StalledCondition)
		return n.fail(c, d, ready, stalled || terminal, now)
	}
	return 0
}

// begin continues from the events of the process before this one, and starts again with every generation.
func (n *deliveryNews) begin(d *v1alpha1.Delivery) {
	if !n.known {
		n.known, n.generation, n.emitted = true, d.Status.ObservedGeneration, map[string]bool{}
		n.held = meta.FindStatusCondition(d.Status.Conditions, v1alpha1.HeldType) != nil
		if ready := meta.FindStatusCondition(d.Status.Conditions, fluxmeta.ReadyCondition); ready != nil && ready.Status == metav1.ConditionFalse {
			n.emitted[ready.Reason] = true
		}
	}
	if n.generation != d.Generation {
		n.generation, n.failing = d.Generation, ""
		clear(n.emitted)
	}
}

// fail emits one event for every reason: at once for a failure that cannot end by itself, for others after failingGrace.
func (n *deliveryNews) fail(c *Changes, d *v1alpha1.Delivery, ready *metav1.Condition, terminal bool, now time.Time) (again time.Duration) {
	if n.failing != ready.Reason {
		n.failing, n.since = ready.Reason, now
	}
	if n.emitted[ready.Reason] {
		return 0
	}
	if lasts := now.Sub(n.since); !terminal && lasts < failingGrace {
		return failingGrace - lasts
	}
	n.emitted[ready.Reason] = true
	c.event(d, Warning, ready.Reason, ready.Message)
	return 0
}
