// Package hubobjects keeps the FederatedObjects of one Federation: those that the hub has, and those of new objects, which
// the hub gets with their first status. Package state owns the values and locks them.
package hubobjects

import (
	"iter"
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Records are the FederatedObjects of a Federation.
type Records struct {
	of map[manifest.ID]*v1alpha1.FederatedObject
	// deferred are the objects that the hub does not have yet. The value is set for those of which a create failed: the hub
	// may have them.
	deferred map[manifest.ID]bool
	// evicted are the objects that have eviction tasks, or whose recorded decision follows earlier ones.
	evicted map[manifest.ID]bool
}

// keep takes over the record of an object.
func (r *Records) keep(id manifest.ID, o *v1alpha1.FederatedObject) {
	r.of[id] = o
	if len(o.Spec.GracefulEvictionTasks) > 0 || o.Spec.PlannedEvictions != nil {
		r.evicted[id] = true
	} else {
		delete(r.evicted, id)
	}
}

// New returns no records.
func New() Records {
	return Records{of: map[manifest.ID]*v1alpha1.FederatedObject{}, deferred: map[manifest.ID]bool{}, evicted: map[manifest.ID]bool{}}
}

// Of returns the record of an object; nil if there is none.
func (r *Records) Of(id manifest.ID) *v1alpha1.FederatedObject { return r.of[id] }

// Len returns the number of records.
func (r *Records) Len() int { return len(r.of) }

// All iterates over the records, in no order.
func (r *Records) All() iter.Seq2[manifest.ID, *v1alpha1.FederatedObject] { return maps.All(r.of) }

// IDs returns the objects that have a record, sorted.
func (r *Records) IDs() []manifest.ID { return slices.SortedFunc(maps.Keys(r.of), manifest.ID.Compare) }

// Without returns the objects that have a record and are not among others.
func (r *Records) Without(others map[manifest.ID]bool) []manifest.ID {
	var ids []manifest.ID
	for id := range r.of {
		if !others[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// Set records that the hub has o.
func (r *Records) Set(o *v1alpha1.FederatedObject) {
	id := o.Spec.Template.ID()
	r.keep(id, o)
	delete(r.deferred, id)
}

// SetStatus records the status of an object as the hub has it. An object without a record is ignored.
func (r *Records) SetStatus(id manifest.ID, s v1alpha1.FederatedObjectStatus) {
	if known := r.of[id]; known != nil {
		updated := *known
		updated.Status = s
		r.of[id] = &updated
	}
}

// Defer records that the hub gets o later.
func (r *Records) Defer(o *v1alpha1.FederatedObject) {
	id := o.Spec.Template.ID()
	doubtful := r.deferred[id]
	r.keep(id, o)
	r.deferred[id] = doubtful
}

// IsDeferred reports whether the hub does not have the record of an object yet.
func (r *Records) IsDeferred(id manifest.ID) bool {
	_, deferred := r.deferred[id]
	return deferred
}

// Deferred returns the objects that the hub does not have yet.
func (r *Records) Deferred() []manifest.ID { return slices.Collect(maps.Keys(r.deferred)) }

// Missing returns the number of deferred objects.
func (r *Records) Missing() int { return len(r.deferred) }

// Doubt records that the hub may have a deferred object: its create failed.
func (r *Records) Doubt(id manifest.ID) {
	if r.IsDeferred(id) {
		r.deferred[id] = true
	}
}

// IsDoubtful reports whether the hub may have a deferred object.
func (r *Records) IsDoubtful(id manifest.ID) bool { return r.deferred[id] }

// Created records that the hub has created, which was made from decided. It returns false if the object left Git meanwhile.
// If another decision was made meanwhile, the object stays deferred.
func (r *Records) Created(decided, created *v1alpha1.FederatedObject) (wanted bool) {
	id := created.Spec.Template.ID()
	switch r.of[id] {
	case nil:
		return false
	case decided:
		r.Set(created)
	default:
		r.Doubt(id)
	}
	return true
}

// Remove forgets an object. It returns the record that the hub has, or may have; nil if it has none.
func (r *Records) Remove(id manifest.ID) *v1alpha1.FederatedObject {
	o := r.of[id]
	if r.IsDeferred(id) && !r.IsDoubtful(id) {
		o = nil
	}
	delete(r.of, id)
	delete(r.evicted, id)
	delete(r.deferred, id)
	return o
}

// Named returns the record with a name; nil if the hub should not have it, or not yet.
func (r *Records) Named(name string) *v1alpha1.FederatedObject {
	for id, o := range r.of {
		if o.Name == name && !r.IsDeferred(id) {
			return o
		}
	}
	return nil
}
