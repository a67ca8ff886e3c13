package mirror

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
)

// observer is the watch.Sink of a Mirror: it notices what others do to what is ours.
type observer struct{ *Mirror }

// Put takes note of an object as it is now.
func (o observer) Put(u *unstructured.Unstructured) {
	id, shown := manifest.IDOf(u), observe(u)
	o.mu.Lock()
	defer o.mu.Unlock()
	e := o.at(id)
	if e.have.stale(shown) {
		return
	}
	if e.have != nil && e.have.uid == shown.uid {
		shown.foreign = e.have.foreign || shown.generation > e.have.generation || shown.owner != e.have.owner
	}
	e.have = shown
	if o.opened && e.due() {
		o.queue.AddAfter(id, pause)
	}
	if e.asked != nil && !contains(shown.status, e.asked) {
		e.asked = nil
		o.tell(e.owner, id)
	}
}

// Delete takes note that an object is gone, or lost our label.
func (o observer) Delete(u *unstructured.Unstructured) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e := o.entries[manifest.IDOf(u)]; e != nil && e.have != nil && (e.have.uid == u.GetUID() || e.have.deleting) {
		o.lost(e)
	}
}

// lost has what is not there any more made again if it is wanted. The caller holds mu.
func (o observer) lost(e *entry) {
	e.have, e.asked = nil, nil
	if e.want != nil {
		o.queue.AddAfter(e.id, pause)
	} else {
		delete(o.entries, e.id)
	}
}

// Listed drops what is not there any more.
func (o observer) Listed(gvk schema.GroupVersionKind, present map[types.NamespacedName]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for e := range maps.Values(maps.Clone(o.entries)) {
		here := types.NamespacedName{Namespace: e.id.Namespace, Name: e.id.Name}
		if e.id.GroupKind() == gvk.GroupKind() && e.have != nil && !present[here] {
			o.lost(e)
		}
	}
}

// Lost is for nobody to know: until the watch is taken up again, others' changes are not noticed.
func (o observer) Lost(schema.GroupVersionKind, time.Time, error) {}
