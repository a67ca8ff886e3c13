package deliver

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state"
)

// observer is the watch.Sink of one Federation on one cluster. It passes live objects to the state, which keeps a
// few hundred bytes of each.
type observer struct {
	worker *Worker
	key    types.NamespacedName
}

func (o observer) federation() *state.Federation { return o.worker.pool.registry.Federation(o.key) }

// Put records the live object and requests a repair if it drifted. Comparing is slow and runs without the lock of the
// Federation; it is repeated if the wanted object changed meanwhile.
func (o observer) Put(u *unstructured.Unstructured) { o.put(u, nil) }

// put records the live object. With full, it compares the values whatever was compared before, if full is true of the object as it
// was recorded last, and does nothing otherwise.
func (o observer) put(u *unstructured.Unstructured, full func(before live.Object) bool) {
	f := o.federation()
	if f == nil {
		return
	}
	id := manifest.IDOf(u)
	report, gateStatus := f.Report(u)
	for {
		base, ok := f.Base(o.worker.Name(), id)
		if !ok || full != nil && !full(base.Before) {
			return
		}
		base.Full = full != nil
		x := state.Observation{Base: base, Seen: live.Observe(u, base.Wanted, base.Before, base.Proven), Report: report, GateStatus: gateStatus}
		x.Seen, x.Mutated = base.Compare(u, x.Seen)
		x.Report.Message = x.Seen.AppendYielded(report.Message)
		next, recorded := o.worker.late.observe(f, o.worker.Name(), u, x, time.Now())
		if recorded {
			o.worker.pool.Enqueue(next)
			return
		}
	}
}

// Delete records that an object is gone, and has it created again if it is wanted.
func (o observer) Delete(u *unstructured.Unstructured) {
	deleted := manifest.IDOf(u)
	o.worker.late.forget(o.key, func(id manifest.ID) bool { return id == deleted })
	if f := o.federation(); f != nil {
		o.worker.pool.Enqueue(f.ObserveDeleted(o.worker.Name(), deleted, time.Now()))
	}
}

// Listed drops objects that are not on the cluster any more: they went while nobody watched.
func (o observer) Listed(gvk schema.GroupVersionKind, present map[types.NamespacedName]bool) {
	o.worker.late.forget(o.key, func(id manifest.ID) bool {
		return id.GroupKind() == gvk.GroupKind() && !present[types.NamespacedName{Namespace: id.Namespace, Name: id.Name}]
	})
	if f := o.federation(); f != nil {
		o.worker.pool.Enqueue(f.ObserveListed(o.worker.Name(), gvk.GroupKind(), present, time.Now()))
	}
}

// Lost does nothing: probes check the watches, and a watch that resumes within moments is no news.
func (o observer) Lost(schema.GroupVersionKind, time.Time, error) {}
