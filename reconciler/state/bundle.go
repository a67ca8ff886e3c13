package state

import (
	"time"

	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/gate"
)

// BundlePart returns the part of a cluster's bundle, and adds the contents of its objects to all. It returns nil if the Federation has
// nothing for the cluster. The part is Unknown without a plan that the hub has, or without a Delivery there, which owns the report of the
// agent. sequence is that of the index.
func (f *Federation) BundlePart(cluster string, sequence uint64, e *bundle.Encoder, all bundle.Contents) (*bundle.Part, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	part, l := &bundle.Part{Namespace: f.key.Namespace, Name: f.key.Name}, f.clusters[cluster]
	switch {
	case f.active.plan == nil || !f.active.persisted:
		part.Unknown = true
		return part, nil
	case l == nil || l.Idle():
		return nil, nil
	case l.Delivery.UID == "":
		part.Unknown = true
		return part, nil
	}
	part.UID, part.Revision, part.Needs = string(f.declared.object.UID), f.active.revision, bundle.Needs(f.rollouts.asks)
	part.Settings = delivery.Settings(&f.declared.object.Spec, f.active.allowPrune, f.active.plan.Empty())
	part.First = bundle.Entries(f.bulk.Urgent)
	l.AddTo(part, sequence, f.orders(l), e, all)
	return part, bundle.AddScripts(part, f.interpreters(), all)
}

// Execute makes a part of the bundle of a cluster the wanted state. It reports whether every watch has to list again. It changes nothing
// for the part that is executed already.
func (f *Federation) Execute(cluster string, x bundle.Execution, now time.Time) (c changes.Changes, relist bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, found := f.clusters[cluster], f.discovered[cluster]
	planned := found != nil && len(x.Part.Inventory) > 0 && (l == nil || len(l.Inventory()) == 0) // the leader planned with them
	if l != nil && l.Part.Same(x.Part) && !planned {
		return c, false
	}
	f.declared.object = delivery.Federation(x.Part)
	asks := gate.Needs(x.Part.Needs)
	relist = f.interpreters().ID != x.Interpreters.ID || asks.More(f.rollouts.asks)
	f.rollouts.asks = asks
	f.active = activePlan{revision: x.Part.Revision, allowPrune: x.Part.Settings.AllowPrune, interpreters: x.Interpreters, persisted: true, decidedAt: now}
	if l == nil {
		l = delivery.New(delivery.Assigned(x.Part, cluster), f.shared.proven)
		f.clusters[cluster] = l
	}
	if planned {
		l.SetInventory(live.Entries(found.List))
		delete(f.discovered, cluster)
	}
	f.bulk.Urgent = x.Part.Urgent()
	l.Execute(x, now)
	c.Updates = append(c.Updates, changes.Update{Status: changes.Status{Federation: f.key, Cluster: cluster}, Delay: changes.UnfinishedDelay})
	c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: cluster, Priority: changes.Change})
	return c, relist
}
