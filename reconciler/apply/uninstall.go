package apply

import (
	"context"
	"maps"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Uninstall deletes the objects of a Federation from a member, by the inventory there. As with every pruning, objects that accord
// adopted or that have the preserve annotation stay, without accord's label; so do namespaces with objects of others.
func Uninstall(ctx context.Context, m *clusters.Member, federation string) (live.Outcome, error) {
	d, err := newDelivery(m, federation, propagate.ClusterPlan{}, nil, nil, Options{})
	if err != nil {
		return live.Outcome{}, err
	}
	found, err := d.listFromMember(ctx)
	if err != nil || len(found) == 0 {
		return live.Outcome{}, err
	}
	objects, inventory := &live.Objects{}, (*live.Inventory)(nil)
	for id, seen := range found {
		objects.Put(id, seen)
	}
	return Deliver(ctx, m, federation, propagate.ClusterPlan{}, objects, inventory.With(maps.Keys(found)), Options{Prune: true, AllowPrune: true})
}
