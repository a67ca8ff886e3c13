package reconciler

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// reportsOf a federation, as they stand on the hub; none where one replica holds everything.
func (e *engine) reportsOf(ctx context.Context, f *federation) ([]v1alpha1.DeliveryReport, error) {
	if e.share.holders == nil {
		return nil, nil
	}
	var all v1alpha1.DeliveryReportList
	err := e.store.List(ctx, &all, f.key.Namespace, f.key.Name)
	return all.Items, err
}

// retake reads again what was reported of a federation, because another replica holds a cluster.
func (e *engine) retake(ctx context.Context, f *federation) error {
	reports, err := e.reportsOf(ctx, f)
	for i := range reports {
		e.takeIn(&reports[i])
	}
	return err
}

// inherit takes over what replicas that held clusters wrote down before they put it there: it may not stand in a Delivery yet.
func (f *federation) inherit(reports []v1alpha1.DeliveryReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range reports {
		if l := f.legs[reports[i].Spec.Cluster]; l != nil {
			l.delivery.Status.Inventory = union(l.delivery.Status.Inventory, reports[i].Status.ApplyResult.Inventory)
		}
	}
}

// inherit is what has to be known of a cluster before this replica delivers there: what the one that held it wrote down.
func (e *engine) inherit(ctx context.Context, cluster string) error {
	if e.share.holders == nil || e.follows() { // who carries out an order reads it with the order
		return nil
	}
	for _, f := range e.all() {
		var all v1alpha1.DeliveryReportList
		err := e.share.reader.List(ctx, &all, client.InNamespace(f.key.Namespace),
			client.MatchingLabels{v1alpha1.FederationLabel: f.key.Name, v1alpha1.ClusterLabel: cluster})
		if err != nil {
			return fmt.Errorf("reading what was delivered to cluster %s before: %w", cluster, err)
		}
		f.inherit(all.Items)
	}
	return nil
}
