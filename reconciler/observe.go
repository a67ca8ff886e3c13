package reconciler

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
	"github.com/accord-dev/accord/status/kind"
)

// observer turns what the watches of one cluster say about one federation into reports and drift: it is the
// watch.Sink of a bulkhead. Of every object it keeps a few hundred bytes; the object itself is dropped.
type observer struct {
	bulkhead *bulkhead
	key      types.NamespacedName
}

// Put takes note of an object as it is now, and has it repaired if it is not as we left it. To judge it takes its time, and is
// done without the lock, which all clusters share: if what it was judged by is not in force any more then, it is judged again.
func (o observer) Put(u *unstructured.Unstructured) {
	id := manifest.IDOf(u)
	report := status.Observe(u, o.known(id.GroupKind()))
	answers := o.answers(u)
	for noted := false; !noted; {
		by, ok := o.standard(id)
		if !ok {
			return
		}
		seen := live.Observe(u, by.object, by.before, by.proven)
		said := report
		said.Message = seen.AppendYielded(report.Message)
		o.note(id, func(l *leg) (repair bool) {
			if noted = l.standard(id).same(by); !noted {
				return false
			}
			l.answer(id, answers)
			l.proven.Note(id, seen)
			l.live.Put(id, seen)
			l.reports.Put(id, said)
			w := l.wants.of(id)
			return w.digest != "" && w.held == "" && (seen.Digest != w.digest || !seen.Intact)
		})
	}
}

// standard is what an object on one cluster is judged by.
type standard struct {
	object *propagate.Rendered // that is wanted; nil for none
	before live.Object
	proven live.Accepted
}

// standard is false when nothing of the federation is for the cluster any more.
func (o observer) standard(id manifest.ID) (standard, bool) {
	f := o.bulkhead.engine.federation(o.key)
	if f == nil {
		return standard{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.legs[o.bulkhead.Name]
	if l == nil {
		return standard{}, false
	}
	return l.standard(id), true
}

// standard of now. The caller holds the federation's mutex.
func (l *leg) standard(id manifest.ID) standard {
	before, _ := l.live.Get(id) // zero: nothing is known of it
	return standard{l.wants.of(id).object, before, l.proven[id]}
}

// same says that nothing an object is judged by is another. What was proven meanwhile is no other answer, only a faster one.
func (m standard) same(other standard) bool {
	return m.object == other.object && m.before.Accepted == other.before.Accepted
}

// known is what the plan in force knows about a kind.
func (o observer) known(gk schema.GroupKind) kind.Kind {
	if f := o.bulkhead.engine.federation(o.key); f != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.plan != nil {
			return f.plan.Kind(gk)
		}
	}
	return interpret.Of(gk)
}

// Delete takes note that an object is gone, and has it made again if it is wanted.
func (o observer) Delete(u *unstructured.Unstructured) {
	id := manifest.IDOf(u)
	o.note(id, func(l *leg) (repair bool) {
		l.live.Delete(id)
		l.reports.Delete(id)
		w := l.wants.of(id)
		if w.digest != "" {
			l.absences.vanish(id)
		}
		return w.digest != "" && w.held == ""
	})
}

// note changes what is known of one object, and passes it on. A repair is only asked for once the cluster was
// delivered: before that, what is missing or old is most often what the delivery is about to change. It is looked at again
// when that is done.
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
	switch repair := change(l); {
	case repair && l.run.Finished:
		o.bulkhead.repair(f, l, id)
	case repair:
		l.strays(id)
	default:
		delete(l.astray, id)
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
	for id := range l.reports.IDs() {
		if id.GroupKind() == gvk.GroupKind() && !present[types.NamespacedName{Namespace: id.Namespace, Name: id.Name}] {
			l.live.Delete(id)
			l.reports.Delete(id)
			if l.wants.of(id).digest != "" {
				l.absences.vanish(id)
			}
			o.bulkhead.engine.reporter.object(f, id, o.bulkhead.Name)
			if l.run.Finished {
				o.bulkhead.repair(f, l, id)
			} else {
				l.strays(id)
			}
		}
	}
}

// Lost is noticed by the prober, which asks the watches (bulkhead.heard): a watch that is taken up again within
// moments is no news.
func (o observer) Lost(schema.GroupVersionKind, time.Time, error) {}
