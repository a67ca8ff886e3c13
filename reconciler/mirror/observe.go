package mirror

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
)

// observer is the watch.Sink of a Mirror: it repairs mirrored objects that somebody else changes.
type observer struct{ *Mirror }

// Put records an object as the watch shows it.
func (o observer) Put(u *unstructured.Unstructured) {
	id := manifest.IDOf(u)
	next := o.entries.observe(id, observe(u))
	if next.write {
		o.queue.AddAfter(id, repairDelay)
	}
	if next.requestStatus {
		o.requestStatus(next.owner, id)
	}
}

// Delete records that an object is gone, or lost the label of the mirror.
func (o observer) Delete(u *unstructured.Unstructured) {
	if id := manifest.IDOf(u); o.entries.remove(id, u.GetUID()) {
		o.queue.AddAfter(id, repairDelay)
	}
}

// Listed drops the objects that a list of their kind lacks.
func (o observer) Listed(gvk schema.GroupVersionKind, present map[types.NamespacedName]bool) {
	for _, id := range o.entries.list(gvk.GroupKind(), present) {
		o.queue.AddAfter(id, repairDelay)
	}
}

// Lost does nothing: the changes of others are repaired once the watch is established again.
func (o observer) Lost(schema.GroupVersionKind, time.Time, error) {}
