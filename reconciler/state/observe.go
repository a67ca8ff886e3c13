package state

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/status"
)

// Base returns the values that an object on a cluster is compared with. It returns false if the Federation wants nothing on the
// cluster any more.
func (f *Federation) Base(cluster string, id manifest.ID) (delivery.Base, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil {
		return delivery.Base{}, false
	}
	base := l.Base(id)
	base.Book = f.interpreters().Book
	return base, true
}

// Report returns the fields of a live object that the status needs, and the fields that the gates of rollouts need.
func (f *Federation) Report(u *unstructured.Unstructured) (status.Report, map[string]any) {
	gk := u.GroupVersionKind().GroupKind()
	f.mu.Lock()
	known, asks := f.interpreters().Book.Of(gk), f.rollouts.asks
	f.mu.Unlock()
	return status.Observe(u, known), asks.Of(u)
}

// Observation has the findings of a watch about one live object.
type Observation struct {
	Base       delivery.Base // that it was compared with
	Seen       live.Object
	Report     status.Report
	GateStatus map[string]any
	Mutated    []v1alpha1.MutatedField
}

// Observe records a live object, and requests a repair if it drifted. It returns false if the base of the comparison
// changed meanwhile: then the comparison has to be repeated.
func (f *Federation) Observe(cluster string, id manifest.ID, o Observation, now time.Time) (c changes.Changes, recorded bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil || !l.Admit(&c, id) {
		return c, true
	}
	if !l.Base(id).Same(o.Base) {
		return c, false
	}
	l.SetGateStatus(id, o.GateStatus)
	l.Note(id, o.Seen, o.Mutated, o.Report)
	f.note(&c, l, id, l.Wants.Of(id).Drifted(o.Seen), now)
	return c, true
}

// ObserveDeleted records that an object is gone, and requests that it is created again if it is wanted.
func (f *Federation) ObserveDeleted(cluster string, id manifest.ID, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		if l.Waits(id) {
			c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: cluster, Priority: changes.Resync})
		}
		l.Forget(id)
		w := l.Wants.Of(id)
		if w.Digest != "" {
			l.Absences.Vanish(id)
		}
		f.note(&c, l, id, w.Drifted(live.Object{}), now)
	}
	return c
}

// ObserveListed drops the objects of a kind that are not on the cluster any more: they went while nobody watched.
func (f *Federation) ObserveListed(cluster string, gk schema.GroupKind, present map[types.NamespacedName]bool, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil {
		return c
	}
	for id := range l.Reports.IDs() {
		if id.GroupKind() != gk || present[types.NamespacedName{Namespace: id.Namespace, Name: id.Name}] {
			continue
		}
		l.Forget(id)
		if l.Wants.Of(id).Digest != "" {
			l.Absences.Vanish(id)
		}
		f.observed(&c, id, l.Name)
		f.repair(&c, l, id, now)
	}
	return c
}

func (f *Federation) note(c *changes.Changes, l *delivery.State, id manifest.ID, drifted bool, now time.Time) {
	if drifted {
		f.repair(c, l, id, now)
	} else {
		delete(l.Drifted, id)
	}
	f.observed(c, id, l.Name)
}
