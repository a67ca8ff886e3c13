package reconciler

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// observer turns what the watches of one cluster say about one federation into reports and drift: it is the
// clusters.Sink of a bulkhead. Of every object it keeps a few hundred bytes; the object itself is dropped.
type observer struct {
	bulkhead *bulkhead
	key      types.NamespacedName
}

// Put takes note of an object as it is now, and has it repaired if it is not as we left it.
func (o observer) Put(u *unstructured.Unstructured) {
	id := manifest.IDOf(u)
	report := status.Observe(u, o.known(id.GroupKind())) // before the lock: users' scripts take their time
	answers := o.answers(u)
	o.note(id, func(l *leg) (repair bool) {
		l.answer(id, answers)
		w := l.wants[id]
		seen := l.proven.Observe(u, w.object, l.live[id])
		report.Message = seen.Tell(report.Message)
		l.live[id], l.reports[id] = seen, report
		return w.digest != "" && w.held == "" && (seen.Digest != w.digest || !seen.Intact)
	})
}

// known is what the plan in force knows about a kind.
func (o observer) known(gk schema.GroupKind) kind.Kind {
	if f := o.bulkhead.engine.federation(o.key); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.plan != nil {
			return f.plan.Known(gk)
		}
	}
	return kind.Of(gk)
}

// Delete takes note that an object is gone, and has it made again if it is wanted.
func (o observer) Delete(u *unstructured.Unstructured) {
	id := manifest.IDOf(u)
	o.note(id, func(l *leg) (repair bool) {
		delete(l.live, id)
		delete(l.reports, id)
		w := l.wants[id]
		if w.digest != "" {
			l.absences.vanish(id)
		}
		return w.digest != "" && w.held == ""
	})
}

// note changes what is known of one object, and passes it on. A repair is only asked for once the cluster was
// delivered: before that, what is missing or old is what the delivery is about to change.
func (o observer) note(id manifest.ID, change func(*leg) (repair bool)) {
	f := o.bulkhead.engine.federation(o.key)
	if f == nil {
		return
	}
	f.mu.Lock()
	l := f.legs[o.bulkhead.Name]
	if l == nil {
		f.mu.Unlock()
		return
	}
	if change(l) && l.run.Finished {
		o.bulkhead.repair(f, l, id)
	}
	o.bulkhead.engine.reporter.object(f, id, o.bulkhead.Name)
	f.mu.Unlock()
}

// Listed drops what was known and is not there any more: it went while nobody watched.
func (o observer) Listed(gvk schema.GroupVersionKind, present map[types.NamespacedName]bool) {
	f := o.bulkhead.engine.federation(o.key)
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.legs[o.bulkhead.Name]
	if l == nil {
		return
	}
	for id := range l.reports {
		if id.GroupKind() == gvk.GroupKind() && !present[types.NamespacedName{Namespace: id.Namespace, Name: id.Name}] {
			delete(l.live, id)
			delete(l.reports, id)
			if l.wants[id].digest != "" {
				l.absences.vanish(id)
			}
			o.bulkhead.engine.reporter.object(f, id, o.bulkhead.Name)
			if l.run.Finished {
				o.bulkhead.repair(f, l, id)
			}
		}
	}
}

// Lost is noticed by the prober, which asks the watches (bulkhead.heard): a watch that is taken up again within
// moments is no news.
func (o observer) Lost(schema.GroupVersionKind, time.Time, error) {}
