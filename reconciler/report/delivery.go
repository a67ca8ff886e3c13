package report

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
)

// ComputeDelivery brings the status of a Delivery up to date in memory.
func (r *Reporter) ComputeDelivery(f *state.Federation, cluster string) {
	r.Enqueue(f.ComputeDelivery(cluster, time.Now()))
}

// WriteAssignment writes the spec of a Delivery that the hub does not have yet, if several replicas share the clusters. A replica that
// takes a cluster over executes the spec that the hub has. If that were an older one than the replica before it executed, the cluster
// would go back to an older commit.
func (r *Reporter) WriteAssignment(ctx context.Context, f *state.Federation, cluster string) error {
	if !r.registry.Shared() || r.registry.Follower() {
		return nil
	}
	return r.writeDeliverySpec(ctx, f, cluster)
}

// writeDeliverySpec writes the spec of a Delivery that the hub does not have yet.
func (r *Reporter) writeDeliverySpec(ctx context.Context, f *state.Federation, cluster string) error {
	defer r.lock(deliveryLock(f, cluster))()
	d := f.DeliveryToWrite(cluster)
	if d == nil {
		return nil
	}
	return r.putDelivery(ctx, f, d, r.store.Put)
}

// putDelivery writes a Delivery by put and takes over the answer. The caller holds the lock of the Delivery.
func (r *Reporter) putDelivery(ctx context.Context, f *state.Federation, d *v1alpha1.Delivery, put func(context.Context, client.Object) error) error {
	if err := put(ctx, d); err != nil {
		return err
	}
	r.Enqueue(f.Put(d, time.Now()))
	r.assigned(d.Spec.Cluster)
	r.update(changes.Update{Status: deliveryLock(f, d.Spec.Cluster)})
	return nil
}

// WriteDelivery writes the spec of a Delivery, if the hub does not have it, and the status as it was computed last: in one request if
// that status is about the spec.
func (r *Reporter) WriteDelivery(ctx context.Context, f *state.Federation, cluster string) error {
	defer r.lock(deliveryLock(f, cluster))()
	for {
		w := f.TakeDelivery(cluster)
		if w.Delivery == nil {
			_, err := r.writeInventory(ctx, f, cluster, false)
			return err
		}
		if err := r.writeDelivery(ctx, f, w); err != nil {
			return err
		}
	}
}

// writeDelivery makes one write. The caller holds the lock of the Delivery.
func (r *Reporter) writeDelivery(ctx context.Context, f *state.Federation, w delivery.Write) error {
	cluster := w.Delivery.Spec.Cluster
	if !w.Status {
		return r.putDelivery(ctx, f, w.Delivery, r.store.Put)
	}
	_, err := r.writeInventory(ctx, f, cluster, true) // the hub never has fewer entries than the status counts
	switch {
	case err != nil:
	case w.Spec:
		err = r.putDelivery(ctx, f, w.Delivery, r.store.PutWhole)
	default:
		err = r.store.PutStatus(ctx, w.Delivery)
	}
	if err == nil {
		r.wrote(changes.Status{Federation: f.Key(), Cluster: cluster, Write: true})
		return nil
	}
	f.DeliveryNotWritten(cluster)
	if w.Spec && (apierrors.IsConflict(err) || apierrors.IsInvalid(err)) { // somebody deleted the Delivery that the status is about
		return r.putDelivery(ctx, f, w.Delivery, r.store.Put)
	}
	return r.recreate(ctx, f, w.Delivery, deliveryLock(f, cluster), err)
}

func (r *Reporter) writeDeliveries(ctx context.Context, f *state.Federation, clusters []string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for _, cluster := range clusters {
		g.Go(func() error { return r.WriteDelivery(ctx, f, cluster) })
	}
	return g.Wait()
}
