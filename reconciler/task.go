package reconciler

import (
	"context"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// newestOf is the revision of most orders: while the leader writes those of a new commit, the others follow.
func newestOf(orders []*v1alpha1.Delivery) string {
	count := map[string]int{}
	for _, d := range orders {
		count[d.Spec.Revision]++
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return count[a] - count[b] })
}

// task is what a replica makes of a commit that it has orders for.
type task struct {
	revision   string
	plan       *propagate.Plan
	allowPrune bool
	// inventory is what the replicas that held each cluster before wrote down.
	inventory map[string][]string
}

// task is what orders are about: what is in force, if that is it, because what is under way for others goes on then.
func (c *carrier) task(ctx context.Context, f *federation, fed *v1alpha1.Federation, orders []*v1alpha1.Delivery) (task, error) {
	var inventory map[string][]string
	if f.hasNew(orders) {
		var err error
		if inventory, err = c.inventories(ctx, fed); err != nil {
			return task{}, err
		}
	}
	t, err := f.inHand(orders), error(nil)
	if t.plan == nil {
		t, err = c.read(ctx, f, fed, newestOf(orders))
	}
	t.inventory = inventory
	return t, err
}

// hasNew says that some orders are for clusters that this replica has just begun to hold.
func (f *federation) hasNew(orders []*v1alpha1.Delivery) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(orders, func(d *v1alpha1.Delivery) bool { return f.legs[d.Spec.Cluster] == nil })
}

// inHand is the task that is in force, if it is the one that all of some orders are about.
func (f *federation) inHand(orders []*v1alpha1.Delivery) task {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan == nil {
		return task{}
	}
	for _, d := range orders {
		if d.Spec.Revision != f.revision || f.fingerprints.Cluster(f.plan, d.Spec.Cluster) != d.Spec.Digest {
			return task{}
		}
	}
	return task{revision: f.revision, plan: f.plan, allowPrune: f.allowPrune}
}

// inventories are, by cluster, what the replicas that held it before wrote down. They are not read from the cache.
func (c *carrier) inventories(ctx context.Context, fed *v1alpha1.Federation) (map[string][]string, error) {
	var deliveries v1alpha1.DeliveryList
	var reports v1alpha1.DeliveryReportList
	for _, list := range []client.ObjectList{&deliveries, &reports} {
		if err := c.engine.store.List(ctx, list, fed.Namespace, fed.Name); err != nil {
			return nil, err
		}
	}
	all := map[string][]string{}
	for _, d := range deliveries.Items {
		all[d.Spec.Cluster] = d.Status.Inventory
	}
	for _, r := range reports.Items {
		all[r.Spec.Cluster] = union(all[r.Spec.Cluster], r.Status.ApplyResult.Inventory)
	}
	return all, nil
}

// read makes the plan of a commit, as the leader did.
func (c *carrier) read(ctx context.Context, f *federation, fed *v1alpha1.Federation, revision string) (task, error) {
	t := task{revision: revision}
	var releases v1alpha1.ReleaseList
	var objects v1alpha1.FederatedObjectList
	for _, list := range []client.ObjectList{&releases, &objects} {
		if err := c.engine.store.List(ctx, list, fed.Namespace, fed.Name); err != nil {
			return t, err
		}
	}
	f.mu.Lock()
	f.releases = releases.Items
	f.mu.Unlock()
	pinned, err := atCommits(fed, releases.Items, revision)
	if err != nil {
		return t, err
	}
	out, err := fetch(ctx, c.cache, pinned, c.secretOf(fed))
	if err != nil {
		return t, err
	}
	parts, err := out.parts(&f.builds)
	if err != nil {
		return t, err
	}
	members, err := c.fleet(ctx)
	if err != nil {
		return t, err
	}
	previous := make([]propagate.Previous, len(objects.Items))
	for i := range objects.Items {
		previous[i] = propagate.PreviousFrom(objects.Items[i].Spec)
	}
	in := out.input(fed, parts, c.engine.inform(members), previous)
	in.Revision = revision
	t.allowPrune = out.allowsPrune()
	t.plan, err = f.inForce().Next(in)
	return t, err
}
