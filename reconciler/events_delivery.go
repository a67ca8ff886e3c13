package reconciler

import (
	"errors"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
)

// failingGrace is how long something fails that may mend itself (a conflict that is tried again, a kind that is not
// served yet, a pod that restarts) before a person is told.
const failingGrace = time.Minute

// Reasons of events about a Delivery, beside those of its condition Ready.
const (
	holdBegan = "Suspended"
	holdEnded = "Resumed"
)

// deliveryNews is what people were told of one delivery. It is guarded by the mutex of the federation, and ends with the leg.
type deliveryNews struct {
	known bool // what the process before this one told is taken from the status it left
	held  bool // by a policy; not by the suspension of the federation, which is told there
	// final: the last attempt failed in a way that trying again does not mend.
	final bool
	// failing is the reason for which it fails now, since when; empty while it does not.
	failing string
	since   time.Time
	// told are the reasons of this generation that were told.
	told       map[string]bool
	generation int64
}

// message is something to be told of a Delivery.
type message struct{ kind, reason, text string }

// judged compares the status before and after, and returns what a person should know. again is how soon to look again
// because something fails that may still mend itself; 0 for not at all.
func (n *deliveryNews) judged(d *v1alpha1.Delivery, next v1alpha1.DeliveryStatus, suspended bool, now time.Time) (news []message, again time.Duration) {
	n.begin(d)
	if held := meta.FindStatusCondition(next.Conditions, v1alpha1.HeldType); !suspended && (held != nil) != n.held {
		n.held = held != nil
		if n.held {
			news = append(news, message{normal, holdBegan, held.Message})
		} else {
			news = append(news, message{normal, holdEnded, "nothing is held any more"})
		}
	}
	ready := meta.FindStatusCondition(next.Conditions, fluxmeta.ReadyCondition)
	switch {
	case ready.Status == metav1.ConditionTrue:
		n.failing = ""
		clear(n.told)
	case ready.Status != metav1.ConditionFalse, ready.Reason == status.ClustersUnreachable: // that is told of the Cluster
		n.failing = ""
	default:
		stalled := meta.IsStatusConditionTrue(next.Conditions, fluxmeta.StalledCondition)
		failed, wait := n.fails(ready, stalled, now)
		news, again = append(news, failed...), wait
	}
	return news, again
}

// begin takes over what the process before this one told, and begins anew with every new generation.
func (n *deliveryNews) begin(d *v1alpha1.Delivery) {
	if !n.known {
		n.known, n.generation, n.told = true, d.Status.ObservedGeneration, map[string]bool{}
		n.held = meta.FindStatusCondition(d.Status.Conditions, v1alpha1.HeldType) != nil
		if ready := meta.FindStatusCondition(d.Status.Conditions, fluxmeta.ReadyCondition); ready != nil && ready.Status == metav1.ConditionFalse {
			n.told[ready.Reason] = true
		}
	}
	if n.generation != d.Generation {
		n.generation, n.failing = d.Generation, ""
		clear(n.told)
	}
}

// fails tells once for every reason: at once what cannot mend itself, the rest when it lasts.
func (n *deliveryNews) fails(ready *metav1.Condition, stalled bool, now time.Time) (news []message, again time.Duration) {
	if n.failing != ready.Reason {
		n.failing, n.since = ready.Reason, now
	}
	if n.told[ready.Reason] {
		return nil, 0
	}
	if lasts := now.Sub(n.since); !stalled && !n.final && lasts < failingGrace {
		return nil, failingGrace - lasts
	}
	n.told[ready.Reason] = true
	return []message{{warning, ready.Reason, ready.Message}}, 0
}

// tellDelivery tells people what is new of a delivery that is about to have another status. The caller holds f.mu.
func (r *reporter) tellDelivery(f *federation, l *leg, next v1alpha1.DeliveryStatus) {
	now := time.Now()
	if meta.IsStatusConditionTrue(l.delivery.Status.Conditions, fluxmeta.ReadyCondition) && !meta.IsStatusConditionTrue(next.Conditions, fluxmeta.ReadyCondition) {
		_, l.counts.LastReady = r.engine.reach(l.cluster)
	}
	news, again := l.news.judged(l.delivery, next, f.declaration.Spec.Suspend || f.waits(l.cluster), now)
	for _, m := range news {
		r.engine.event(l.delivery, m.kind, m.reason, m.text)
	}
	if again > 0 {
		r.add(entry{federation: f.key, cluster: l.cluster}, again)
	}
}

// concluded takes note of an attempt to deliver, for figures and news. The caller holds the mutex of the federation.
func (l *leg) concluded(o live.Outcome, err error) {
	l.counts.Add(failure(o, err), o.Drift)
	l.news.final = false
	for _, failed := range o.Errors {
		l.news.final = l.news.final || !problemOf(failed).Retry
	}
}

// problemOf the error of one object.
func problemOf(err error) *live.Problem {
	if p, ok := errors.AsType[*live.Problem](err); ok {
		return p
	}
	return &live.Problem{Reason: live.Failed, Retry: true, Err: err}
}
