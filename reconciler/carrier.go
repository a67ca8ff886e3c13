package reconciler

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// carrier carries out, in a replica that does not lead, what the leader orders for the clusters that this replica holds. It
// decides nothing: it makes the plan of the commit that a Delivery names, and delivers it where its digest is the one that
// the Delivery has.
type carrier struct {
	*syncer
}

// Reconcile takes over the orders of one Federation.
func (c *carrier) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	c.engine.share.role.RLock()
	defer c.engine.share.role.RUnlock()
	if !c.engine.follows() {
		return ctrl.Result{}, nil
	}
	fed := &v1alpha1.Federation{}
	err := c.Get(ctx, req.NamespacedName, fed)
	switch {
	case apierrors.IsNotFound(err) || err == nil && fed.DeletionTimestamp != nil:
		c.engine.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	orders, err := c.orders(ctx, fed)
	if err != nil {
		return ctrl.Result{}, err
	}
	f := c.engine.follow(fed)
	f.keepOnly(orders)
	open := f.open(orders)
	if len(open) == 0 {
		c.engine.resync(f)
		return ctrl.Result{}, nil
	}
	defer f.planning.begin()()
	work, err := c.task(ctx, f, fed, open)
	if err != nil {
		c.engine.stuck(f, work.inventory, open, err.Error())
		return ctrl.Result{}, err
	}
	if c.engine.carry(ctx, f, work, orders) {
		return ctrl.Result{}, nil
	}
	lasts := c.engine.stuck(f, work.inventory, f.open(orders), "what this replica makes of "+work.revision+" is not what was ordered")
	return ctrl.Result{RequeueAfter: min(max(lasts, orderRetry), lastRetry)}, nil
}

const (
	// orderRetry is how soon an order is looked at again of which the replica makes something else, at first: it may not have
	// heard yet of what the leader decided by.
	orderRetry = time.Second
	// orderPatience is how long that may last before it is told.
	orderPatience = 10 * time.Second
)

// stuck tells why orders are not carried out, if that lasts; it returns how long it has. Nothing is told of a cluster as long as
// its inventory could not be read.
func (e *engine) stuck(f *federation, inventory map[string][]string, orders []*v1alpha1.Delivery, why string) (lasts time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range orders {
		l := f.legs[d.Spec.Cluster]
		if l == nil && inventory == nil {
			continue
		} else if l == nil {
			l = f.legOf(d, inventory[d.Spec.Cluster])
		}
		l.postpone(orderOf(d), time.Now())
		if lasts = max(lasts, time.Since(l.since)); time.Since(l.since) > orderPatience {
			l.run = status.Run{Error: why}
			e.reporter.add(entry{federation: f.key, cluster: l.cluster}, 0)
		}
	}
	return lasts
}

// postpone ends what is under way for the order before. What became of that says nothing of this one.
func (l *leg) postpone(order string, now time.Time) {
	l.end()
	l.waits = true
	if l.order == order && !l.since.IsZero() {
		return
	}
	l.delivery.Status.Inventory = l.inventory()
	l.order, l.since, l.run, l.listed = order, now, status.Run{}, false
	clear(l.errors)
}

// orders are the Deliveries of a federation to the clusters that this replica holds, by cluster.
func (c *carrier) orders(ctx context.Context, fed *v1alpha1.Federation) (map[string]*v1alpha1.Delivery, error) {
	var all v1alpha1.DeliveryList
	if err := c.List(ctx, &all, client.InNamespace(fed.Namespace), client.MatchingLabels{v1alpha1.FederationLabel: fed.Name}); err != nil {
		return nil, fmt.Errorf("reading the orders of %s/%s: %w", fed.Namespace, fed.Name, err)
	}
	orders := map[string]*v1alpha1.Delivery{}
	for i := range all.Items {
		if d := &all.Items[i]; c.engine.holds(d.Spec.Cluster) && d.DeletionTimestamp == nil {
			orders[d.Spec.Cluster] = d
		}
	}
	return orders, nil
}

// follow is a federation that another replica decides about.
func (e *engine) follow(fed *v1alpha1.Federation) *federation {
	key := client.ObjectKeyFromObject(fed)
	if f := e.federation(key); f != nil {
		before := f.specNow()
		if f.declared(fed) {
			if !equality.Semantic.DeepEqual(before, fed.Spec) { // resumed, or to be pruned otherwise
				f.repeat()
			}
			return f
		}
	}
	e.forget(key)
	f := newFederation(fed, e.fingerprints)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.federations[key] = f
	return f
}

// specNow is what is declared.
func (f *federation) specNow() v1alpha1.FederationSpec {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.declaration.Spec
}

// repeat has all orders carried out again.
func (f *federation) repeat() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.legs {
		l.order = ""
	}
}

// keepOnly drops the clusters that nothing is ordered for any more, or that another replica holds.
func (f *federation) keepOnly(orders map[string]*v1alpha1.Delivery) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for cluster, l := range f.legs {
		if orders[cluster] == nil {
			l.end()
			delete(f.legs, cluster)
		}
	}
}

// open are the orders that are not under way. What else the Deliveries say is taken over.
func (f *federation) open(orders map[string]*v1alpha1.Delivery) []*v1alpha1.Delivery {
	f.mu.Lock()
	defer f.mu.Unlock()
	var open []*v1alpha1.Delivery
	for cluster, d := range orders {
		l := f.legs[cluster]
		if l == nil || l.waits || l.order != orderOf(d) {
			open = append(open, d)
		}
		if l != nil && len(l.inventory()) == 0 && len(d.Status.Inventory) > 0 {
			l.delivery.Status.Inventory = d.Status.Inventory // what was found there is known now
			delete(f.finds, cluster)
		}
	}
	return open
}

// carry puts in force what of a plan is ordered; it says whether that is all. The other orders wait, and what runs on their
// clusters stays as it is.
func (e *engine) carry(ctx context.Context, f *federation, t task, orders map[string]*v1alpha1.Delivery) (all bool) {
	_, interpreted := t.plan.Interpreters()
	learned := f.interpreted() != interpreted
	turns := e.turnsOf(ctx, f, t.plan, orders)
	f.mu.Lock()
	same := f.plan == t.plan
	if !same {
		f.staging.past = nil
	}
	f.plan, f.revision, f.allowPrune, f.announced = t.plan, t.revision, t.allowPrune, true
	f.basis.sight.room = t.plan.NeedsRoom()
	f.staging.turns, f.staging.along = turns, alongOf(orders)
	all = true
	var fresh []string
	for cluster, d := range orders {
		l := f.legs[cluster]
		switch {
		case l == nil:
			l = f.legOf(d, t.inventory[cluster])
		case same && !l.waits && l.order == orderOf(d):
			continue
		}
		inventory := l.inventory()
		l.delivery = d.DeepCopy()
		l.delivery.Status.Inventory = inventory
		l.waits = d.Spec.Revision != t.revision || f.fingerprints.Cluster(t.plan, cluster) != d.Spec.Digest
		if l.waits {
			l.end()
			all = false
			continue
		}
		l.order, l.since = orderOf(d), time.Time{}
		f.stage(l)
		fresh = append(fresh, cluster)
		e.reporter.add(entry{federation: f.key, cluster: cluster}, 0)
	}
	f.mu.Unlock()
	if asksMore := f.asksMore(); learned || asksMore {
		e.lookAgain(f)
	}
	for _, cluster := range fresh {
		if b := e.bulkhead(cluster); b != nil {
			b.enqueue(f.key)
		}
	}
	return all
}

// legOf an order. The caller holds f.mu.
func (f *federation) legOf(d *v1alpha1.Delivery, inventory []string) *leg {
	l := newLeg(d.DeepCopy(), f.proven)
	l.delivery.Status.Inventory = union(d.Status.Inventory, inventory)
	f.legs[l.cluster] = l
	return l
}
