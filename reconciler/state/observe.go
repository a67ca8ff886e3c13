package state

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/interpret"
)

// Base is what a live object is compared with. Comparing is slow and runs without the lock of the Federation; it is
// repeated if the base changed meanwhile.
type Base struct {
	Wanted *propagate.Rendered // nil for none
	Before live.Object
	Proven live.Accepted
}

// same reports whether a comparison with other is still valid. What was proven meanwhile makes a comparison faster, not
// different.
func (b Base) same(other Base) bool {
	return b.Wanted == other.Wanted && b.Before.Accepted == other.Before.Accepted
}

func (l *cluster) base(id manifest.ID) Base {
	before, _ := l.live.Get(id) // zero: nothing is known of it
	return Base{l.wants.of(id).object, before, l.proven[id]}
}

// Base returns what an object on a cluster is compared with. It returns false if the cluster gets nothing of the
// Federation any more.
func (f *Federation) Base(cluster string, id manifest.ID) (Base, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil {
		return Base{}, false
	}
	return l.base(id), true
}

// Report returns what status needs of a live object, and what the gates of rollouts need.
func (f *Federation) Report(u *unstructured.Unstructured) (status.Report, map[string]any) {
	gk := u.GroupVersionKind().GroupKind()
	f.mu.Lock()
	known, asks := interpret.Of(gk), f.rollouts.asks
	if f.active.plan != nil {
		known = f.active.plan.Kind(gk)
	}
	f.mu.Unlock()
	return status.Observe(u, known), asks.of(u)
}

// Observation is what a watch found out about one live object.
type Observation struct {
	Base       Base // that it was compared with
	Seen       live.Object
	Report     status.Report
	GateStatus map[string]any
}

// Observe records a live object, and requests a repair if it drifted. It returns false if the base of the comparison
// changed meanwhile: then the comparison has to be repeated.
func (f *Federation) Observe(cluster string, id manifest.ID, o Observation, now time.Time) (c Changes, recorded bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil {
		return c, true
	}
	if !l.base(id).same(o.Base) {
		return c, false
	}
	l.setGateStatus(id, o.GateStatus)
	l.proven.Note(id, o.Seen)
	l.live.Put(id, o.Seen)
	l.reports.Put(id, o.Report)
	f.note(&c, l, id, l.wants.of(id).drifted(o.Seen), now)
	return c, true
}

// ObserveDeleted records that an object is gone, and requests that it is created again if it is wanted.
func (f *Federation) ObserveDeleted(cluster string, id manifest.ID, now time.Time) (c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.live.Delete(id)
		l.reports.Delete(id)
		w := l.wants.of(id)
		if w.digest != "" {
			l.absences.vanish(id)
		}
		f.note(&c, l, id, w.drifted(live.Object{}), now)
	}
	return c
}

// ObserveListed drops the objects of a kind that are not on the cluster any more: they went while nobody watched.
func (f *Federation) ObserveListed(cluster string, gk schema.GroupKind, present map[types.NamespacedName]bool, now time.Time) (c Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	if l == nil {
		return c
	}
	for id := range l.reports.IDs() {
		if id.GroupKind() != gk || present[types.NamespacedName{Namespace: id.Namespace, Name: id.Name}] {
			continue
		}
		l.live.Delete(id)
		l.reports.Delete(id)
		if l.wants.of(id).digest != "" {
			l.absences.vanish(id)
		}
		f.observed(&c, id, l.name)
		f.repair(&c, l, id, now)
	}
	return c
}

func (f *Federation) note(c *Changes, l *cluster, id manifest.ID, drifted bool, now time.Time) {
	if drifted {
		f.repair(c, l, id, now)
	} else {
		delete(l.drifted, id)
	}
	f.observed(c, id, l.name)
}

// setGateStatus keeps what the gates of rollouts need of an object.
func (l *cluster) setGateStatus(id manifest.ID, kept map[string]any) {
	switch {
	case kept == nil:
		delete(l.gateStatus, id)
	case l.gateStatus == nil:
		l.gateStatus = map[manifest.ID]map[string]any{id: kept}
	default:
		l.gateStatus[id] = kept
	}
}
