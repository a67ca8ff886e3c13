package apply

import (
	"context"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Uninstall deletes the objects of a Federation from a member, by the inventory there. As with every pruning, objects that accord
// adopted or that have the preserve annotation stay, without accord's label; so do namespaces with objects of others.
func Uninstall(ctx context.Context, m *clusters.Member, federation string) (live.Outcome, error) {
	return giveUp(ctx, m, federation, Options{Prune: true, AllowPrune: true})
}

// Release removes the marks of accord from the objects of a Federation on a member, by the inventory there. All objects stay.
func Release(ctx context.Context, m *clusters.Member, federation string) (live.Outcome, error) {
	return giveUp(ctx, m, federation, Options{Prune: true, AllowPrune: true, Release: true})
}

// giveUp delivers nothing of a Federation to a member that has objects of it. Then it deletes the inventory there, unless objects are left
// in it, such as those that wait for their finalizers.
func giveUp(ctx context.Context, m *clusters.Member, federation string, o Options) (live.Outcome, error) {
	d, err := newDelivery(m, federation, propagate.ClusterPlan{}, nil, nil, Options{})
	if err != nil {
		return live.Outcome{}, err
	}
	found, err := d.listFromMember(ctx)
	if err != nil {
		return live.Outcome{}, err
	}
	outcome := live.Outcome{}
	if len(found) > 0 {
		objects, inventory := &live.Objects{}, (*live.Inventory)(nil)
		for id, seen := range found {
			objects.Put(id, seen)
		}
		outcome, err = Deliver(ctx, m, federation, propagate.ClusterPlan{}, objects, inventory.With(maps.Keys(found)), o)
	}
	if err != nil || len(outcome.Errors)+len(outcome.Inventory) > 0 {
		return outcome, err
	}
	return outcome, deleteParent(ctx, m, federation)
}

// deleteParent deletes the inventory of a Federation on a member.
func deleteParent(ctx context.Context, m *clusters.Member, federation string) error {
	name := applyset.InventoryName(federation)
	err := m.Metadata.Resource(configMapsResource).Namespace(applyset.InventoryNamespace).Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("cluster %s: deleting the inventory ConfigMap %s/%s: %w", m.Name, applyset.InventoryNamespace, name, err)
	}
	return nil
}
