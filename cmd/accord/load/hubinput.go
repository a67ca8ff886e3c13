package load

import (
	"context"
	"errors"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate"
)

// addToInput adds to the input the facts that only the hub has: Clusters that Git does not declare, served kinds, free capacity,
// and previous decisions. It adds nothing if the hub cannot be read.
func (l *LiveHub) addToInput(ctx context.Context, t *Tree) {
	if l == nil || l.Err != nil {
		return
	}
	clusters, objects, deliveries := &v1alpha1.ClusterList{}, &v1alpha1.FederatedObjectList{}, &v1alpha1.DeliveryList{}
	if err := errors.Join(l.List(ctx, clusters), l.List(ctx, objects, hub.ListOptions(l.Federation)...), l.List(ctx, deliveries, hub.ListOptions(l.Federation)...)); err != nil {
		l.Err = l.Wrap("reading what is live", err)
		return
	}
	l.Objects, l.Deliveries = objects.Items, deliveries.Items
	t.Input.Fleet, clusters.Items = nil, hub.NotBeingDeleted(clusters.Items)
	for _, c := range clusters.Items {
		t.Input.Fleet = append(t.Input.Fleet, fleet.From(c, t.Parts.Origins[c.Name]))
	}
	for _, c := range t.Parts.Fleet() {
		if !slices.ContainsFunc(clusters.Items, func(on v1alpha1.Cluster) bool { return on.Name == c.Name }) {
			t.Input.Fleet = append(t.Input.Fleet, c)
		}
	}
	for i := range l.Objects {
		t.Input.Previous = append(t.Input.Previous, propagate.PreviousFrom(l.Objects[i].Spec))
	}
}
