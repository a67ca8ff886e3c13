// Package news decides which changes of a status are worth an event.
package news

import (
	"errors"
	"fmt"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status"
)

// Reasons of events about Federations, Releases and Deliveries, beside those of their conditions.
const (
	suspendedReason = "Suspended"
	resumedReason   = "Resumed"
)

const (
	// sourceFailures is the number of failed fetches in a row before an event is emitted.
	sourceFailures = 2
	// failingGrace is the duration of a failure before an event is emitted, if the failure may end by itself (a conflict that is
	// retried, a kind that is not served yet, a pod that restarts).
	failingGrace = time.Minute
)

// Federation remembers the events about a Federation.
type Federation struct {
	known     bool // suspended was emitted, by this process or the one before
	suspended bool
	failures  int    // how often in a row the sources could not be read
	refusal   string // of a Tenant or a verification, or a wait for another Federation: the last one with an event
}

// SourceFailed emits an event if the sources could not be read repeatedly, or at once if a Tenant refuses them, the newest revision is
// not verified, or it waits for another Federation. A wait that ends by itself is no warning.
func (n *Federation) SourceFailed(c *changes.Changes, about *v1alpha1.Federation, err error) {
	if d, waits := errors.AsType[*status.DependencyError](err); waits {
		kind := changes.Warning
		if d.Temporary {
			kind = changes.Normal
		}
		n.refused(c, about, kind, d.Reason, d.Message)
		return
	}
	if reason, message := status.SourceRefusal(err); reason != "" {
		n.refused(c, about, changes.Warning, reason, message)
		return
	}
	if n.failures++; n.failures == sourceFailures {
		c.Event(about, changes.Warning, status.FetchFailed, status.FetchFailure(err))
	}
}

// refused emits an event, unless it was the last one.
func (n *Federation) refused(c *changes.Changes, about *v1alpha1.Federation, kind, reason, message string) {
	if n.refusal != message {
		n.refusal = message
		c.Event(about, kind, reason, message)
	}
}

// Reconciled emits an event if the Federation was suspended or resumed. read is set if its sources could be read.
func (n *Federation) Reconciled(c *changes.Changes, about *v1alpha1.Federation, read bool) {
	if read {
		n.failures, n.refusal = 0, ""
	}
	if !n.known {
		n.known = true
		n.suspended = meta.IsStatusConditionTrue(about.Status.Conditions, v1alpha1.Suspended)
	}
	suspend := about.Spec.Suspend
	switch {
	case suspend == n.suspended:
	case suspend:
		c.Event(about, changes.Normal, suspendedReason, "suspended: sources are not fetched and clusters are not changed")
	default:
		c.Event(about, changes.Normal, resumedReason, "resumed: sources are fetched again")
	}
	n.suspended = suspend
}

// Rejected emits an event that a commit cannot be planned, with the first mistake, unless the Release reported it before.
func Rejected(c *changes.Changes, about *v1alpha1.Federation, r *v1alpha1.Release, before v1alpha1.ReleaseStatus, err error) {
	mistakes := strings.Split(err.Error(), "\n")
	if len(before.Errors) > 0 && strings.HasPrefix(mistakes[0], strings.TrimSuffix(before.Errors[0], "...")) {
		return
	}
	text := fmt.Sprintf("commit %s is rejected, and the clusters keep their objects: %s", phrase.Revision(r.Spec.Revision), mistakes[0])
	if more := len(mistakes) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	c.Event(about, changes.Warning, status.RejectionReason(err), text)
}

// Parked emits the events of a Release whose plan does not become active.
func Parked(c *changes.Changes, r *v1alpha1.Release, before, after v1alpha1.ReleaseStatus) {
	if x := changed(before, after, v1alpha1.PruneAllowed); x != nil {
		c.Event(r, changes.Warning, x.Reason, x.Message)
	}
	if x := changed(before, after, v1alpha1.Approved); x != nil && x.Status != metav1.ConditionTrue {
		c.Event(r, changes.Normal, x.Reason, x.Message)
	}
	if x := changed(before, after, v1alpha1.DryRunSucceeded); x != nil && x.Status == metav1.ConditionFalse {
		c.Event(r, changes.Warning, status.PreflightFailed, x.Message)
	}
}

// changed returns a condition whose status or message differs from the one before; nil if none does.
func changed(before, after v1alpha1.ReleaseStatus, kind string) *metav1.Condition {
	now, then := meta.FindStatusCondition(after.Conditions, kind), meta.FindStatusCondition(before.Conditions, kind)
	if now == nil || then != nil && then.Status == now.Status && then.Message == now.Message {
		return nil
	}
	return now
}

// Delivery remembers the events about one Delivery.
type Delivery struct {
	known bool // the rest continues from the status that the process before this one left
	held  bool // by a policy; suspension of the Federation is an event of the Federation
	// failing is the reason for which the Delivery fails now, since when; empty while it does not.
	failing string
	since   time.Time
	// emitted are the reasons of this generation with an event.
	emitted    map[string]bool
	generation int64
}

// Compare emits the events of a change of status. It returns how soon to compare again because something fails that may
// still end by itself; 0 for not at all. terminal is set if a retry does not help.
func (n *Delivery) Compare(c *changes.Changes, d *v1alpha1.Delivery, next v1alpha1.DeliveryStatus, suspended, terminal bool, now time.Time) (again time.Duration) {
	n.begin(d)
	if held := meta.FindStatusCondition(next.Conditions, v1alpha1.HeldType); !suspended && (held != nil) != n.held {
		n.held = held != nil
		if n.held {
			c.Event(d, changes.Normal, suspendedReason, held.Message)
		} else {
			c.Event(d, changes.Normal, resumedReason, "nothing is held any more")
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
func (n *Delivery) begin(d *v1alpha1.Delivery) {
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
func (n *Delivery) fail(c *changes.Changes, d *v1alpha1.Delivery, ready *metav1.Condition, terminal bool, now time.Time) (again time.Duration) {
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
	c.Event(d, changes.Warning, ready.Reason, ready.Message)
	return 0
}
