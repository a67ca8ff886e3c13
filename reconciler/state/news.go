package state

import (
	"cmp"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// Reconciled records that the Federation was reconciled, and emits an event if it was suspended or resumed.
func (f *Federation) Reconciled(now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declared.reconciledAt = now
	f.news.Reconciled(&c, f.declared.object, cmp.Or(f.newest.sourceError, f.newest.unread) == nil)
	return c
}

// SourceError returns the error of the last fetch of the sources, or of their verification; nil if there was none.
func (f *Federation) SourceError() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest.sourceError
}

// ReleaseWritten emits an event when a Release becomes Ready, once for every plan of it: an object that becomes unhealthy
// later is an event of its Delivery.
func (f *Federation) ReleaseWritten(r *v1alpha1.Release, now time.Time) (c changes.Changes) {
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
	c.Event(r, changes.Normal, ready.Reason, text)
	return c
}

// deliveryEvents emits the events of a Delivery that is about to have another status.
func (f *Federation) deliveryEvents(c *changes.Changes, l *delivery.State, next v1alpha1.DeliveryStatus, reach reachability.State, now time.Time) {
	if delivery.Ready(l.Delivery.Status) && !delivery.Ready(next) {
		l.Counts.LastReady = reach.LastProbe
	}
	suspended := f.declared.object.Spec.Suspend || f.heldByStages(l.Name)
	if again := l.News.Compare(c, l.Delivery, next, suspended, l.Terminal, now); again > 0 {
		f.updateCluster(c, l.Name, again)
	}
}
