package state

import (
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/status"
)

// PruneBlock returns why the prune limits or ended holds stop a plan that is not active; nil if they do not. It knows the observed and the
// recorded objects of each cluster; of a cluster without any, the delivery applies the limits.
func (f *Federation) PruneBlock(p *activation.Pending) *status.PruneBlock {
	p.Plan.Digest() // renders everything, before anything waits for the lock
	f.mu.Lock()
	defer f.mu.Unlock()
	spec, active := &f.declared.object.Spec, f.active.plan
	if !spec.Prune || p.Input.AllowPrune || active != nil && active.Digest() == p.Plan.Digest() && !active.Holds() {
		return nil
	}
	clusters := map[string]permit.Delivered{}
	for _, name := range p.Plan.Clusters() {
		target := p.Plan.ForCluster(name)
		switch l := f.clusters[name]; {
		case l != nil && l.Listed:
			clusters[name] = l.Delivered(target)
		case l != nil && len(l.Inventory()) > 0:
			inventory, _ := f.shared.inventory.Parse(l.Inventory()) // entries that cannot be read fail the delivery
			clusters[name] = delivery.Recorded(record.Recorded(inventory.All(), f.records.objects.Of), target)
		default:
			clusters[name] = delivery.Recorded(f.discovered[name].All(), target)
		}
	}
	return status.NewPruneBlock(permit.Revision(spec.PruneLimits, p.Plan, active, clusters))
}
