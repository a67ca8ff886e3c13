package main

import (
	"context"
	"errors"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
)

// inform adds to the manifests what only the hub knows and the controllers decide by: clusters that Git does not declare,
// what clusters serve and have room for, and what was decided the last time. A hub that cannot be read adds nothing.
func (l *liveHub) inform(ctx context.Context, t *tree) {
	if l == nil || l.err != nil {
		return
	}
	clusters, objects, deliveries := &v1alpha1.ClusterList{}, &v1alpha1.FederatedObjectList{}, &v1alpha1.DeliveryList{}
	if err := errors.Join(l.List(ctx, clusters), l.List(ctx, objects, of(l.federation)...), l.List(ctx, deliveries, of(l.federation)...)); err != nil {
		l.err = l.explain("reading what is live", err)
		return
	}
	l.objects, l.deliveries = objects.Items, deliveries.Items
	t.input.Fleet, clusters.Items = nil, staying(clusters.Items)
	for _, c := range clusters.Items {
		t.input.Fleet = append(t.input.Fleet, fleet.From(c, t.parts.Origins[c.Name]))
	}
	for _, c := range t.parts.Fleet() {
		if !slices.ContainsFunc(clusters.Items, func(on v1alpha1.Cluster) bool { return on.Name == c.Name }) {
			t.input.Fleet = append(t.input.Fleet, c)
		}
	}
	for i := range l.objects {
		t.input.Previous = append(t.input.Previous, propagate.PreviousFrom(l.objects[i].Spec))
	}
}
