package report

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/inventory"
)

// RecordInventory writes the inventory of a delivery before any of its objects is written to the cluster.
func (r *Reporter) RecordInventory(ctx context.Context, f *state.Federation, cluster string) error {
	if r.registry.Follower() {
		return r.publishReport(ctx, f, cluster, true)
	}
	if err := r.writeDeliverySpec(ctx, f, cluster); err != nil {
		return err
	}
	defer r.lock(deliveryLock(f, cluster))()
	written, err := r.writeInventory(ctx, f, cluster, true)
	if err == nil && !written {
		err = fmt.Errorf("the hub has no Delivery to cluster %s, or its inventory cannot be read", cluster)
	}
	return err
}

// writeInventory writes the parts of an inventory that changed; with grow it removes no entry. The caller holds the lock of the
// Delivery. It returns false if the hub has no Delivery, or if a part cannot be read.
func (r *Reporter) writeInventory(ctx context.Context, f *state.Federation, cluster string, grow bool) (written bool, err error) {
	w, ok := f.InventoryWrites(cluster, grow)
	if !ok {
		return false, nil
	}
	for _, step := range w.Steps {
		if err == nil {
			err = r.writeParts(ctx, step)
		}
	}
	f.InventoryWritten(cluster, w, err)
	return err == nil, err
}

// writeParts writes several parts at a time.
func (r *Reporter) writeParts(ctx context.Context, step inventory.ObjectStep) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for _, part := range step.Puts {
		g.Go(func() error { return r.store.Put(ctx, part) })
	}
	for _, part := range step.Deletes {
		g.Go(func() error { return r.store.Delete(ctx, part) })
	}
	return g.Wait()
}

// ReadInventory reads the inventory of a cluster again that could not be read.
func (r *Reporter) ReadInventory(ctx context.Context, f *state.Federation, cluster string) error {
	defer r.lock(deliveryLock(f, cluster))()
	var deliveries v1alpha1.DeliveryList
	var inventories v1alpha1.InventoryList
	for _, list := range []client.ObjectList{&inventories, &deliveries} {
		if err := r.store.List(ctx, list, f.Key().Namespace, f.Key().Name); err != nil {
			return err
		}
	}
	f.ReadInventory(cluster, delivery.NewInherited(deliveries.Items, inventories.Items, nil))
	r.update(changes.Update{Status: changes.Status{Federation: f.Key(), Cluster: cluster}})
	return nil
}

// restoreInventory writes a part of an inventory again that somebody else changed or deleted.
func (r *Reporter) restoreInventory(ctx context.Context, f *state.Federation, like *v1alpha1.Inventory) error {
	part, ok := f.Record(like).(*v1alpha1.Inventory)
	if !ok {
		return nil
	}
	defer r.lock(deliveryLock(f, part.Spec.Cluster))()
	if part, ok = f.Record(like).(*v1alpha1.Inventory); !ok { // as it is now that nobody else writes it
		return nil
	}
	f.InventoryChanged(part.Spec.Cluster, part.Name)
	if err := r.store.Replace(ctx, part); err != nil {
		return err
	}
	_, err := r.writeInventory(ctx, f, part.Spec.Cluster, true)
	return err
}
