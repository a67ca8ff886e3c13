package report

import (
	"context"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// Restore writes a record again that somebody else changed or deleted on the hub: its spec, and its status as it was
// computed last. like has the kind and the name. A record that the hub should not have stays as it is.
func (r *Reporter) Restore(ctx context.Context, f *state.Federation, like changes.Record) error {
	if part, ok := like.(*v1alpha1.Inventory); ok {
		return r.restoreInventory(ctx, f, part)
	}
	if o, ok := like.(*v1alpha1.FederatedObject); ok {
		if err := r.adoptLifted(ctx, f, o); err != nil {
			return err
		}
		r.decisions.Lock() // else a plan that is persisted meanwhile could be overwritten with the record before it
		defer r.decisions.Unlock()
	}
	if d, ok := f.Record(like).(*v1alpha1.Delivery); ok {
		return r.restoreDelivery(ctx, f, d.Spec.Cluster, like)
	}
	record := f.Record(like)
	if record == nil {
		return nil
	}
	if err := r.store.Replace(ctx, record); err != nil {
		return err
	}
	switch record := record.(type) {
	case *v1alpha1.FederatedObject:
		if err := r.put(ctx, f, record); err != nil {
			return err
		}
		id := record.Spec.Template.ID()
		r.rewrite(changes.Status{Federation: f.Key(), Object: id})
		return r.WriteObject(ctx, f, id)
	case *v1alpha1.Release:
		newest, _ := f.NewestRelease()
		if record.Name != newest {
			status := record.Status
			if err := r.store.Put(ctx, record); err != nil {
				return err
			}
			record.Status = status
			return r.store.PutStatus(ctx, record)
		}
		if err := r.put(ctx, f, record); err != nil {
			return err
		}
		f.ReleaseNotWritten()
		return r.WriteRelease(ctx, f)
	}
	return nil
}

// restoreDelivery does this for the Delivery to a cluster.
func (r *Reporter) restoreDelivery(ctx context.Context, f *state.Federation, cluster string, like changes.Record) error {
	if err := r.replaceDelivery(ctx, f, cluster, like); err != nil {
		return err
	}
	r.ComputeDelivery(f, cluster)
	return r.WriteDelivery(ctx, f, cluster)
}

// replaceDelivery writes the spec of a Delivery again, unless a newer one is about to be written.
func (r *Reporter) replaceDelivery(ctx context.Context, f *state.Federation, cluster string, like changes.Record) error {
	defer r.lock(deliveryLock(f, cluster))()
	record := f.Record(like)
	if record == nil {
		return nil
	}
	if err := r.store.Replace(ctx, record); err != nil {
		return err
	}
	f.DeliveryNotWritten(cluster)
	return r.put(ctx, f, record)
}

// IsKnown reports whether this process read or wrote the given resource version of a record. ok is false if it did neither
// with any version.
func (r *Reporter) IsKnown(record changes.Record, version uint64) (known, ok bool) {
	return r.store.IsKnown(record, version)
}

// IsWriting reports whether this process writes a record, and has no answer yet.
func (r *Reporter) IsWriting(record changes.Record) bool { return r.store.IsWriting(record) }

// rewrite has the status of an object written again, even if it does not change.
func (r *Reporter) rewrite(s changes.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost[s] = true
}

// takeLost reports whether the status of an object has to be written again.
func (r *Reporter) takeLost(s changes.Status) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost := r.lost[s]
	delete(r.lost, s)
	return lost
}
