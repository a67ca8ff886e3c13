package reconciler

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

// orderOf identifies what a Delivery orders: two that are the same are carried out by the same writes. The generation is in
// it, so that what became of an order is never taken for what becomes of the same order given again.
func orderOf(d *v1alpha1.Delivery) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %s %s\n", d.UID, d.Generation, d.Spec.Revision, d.Spec.Digest)
	for _, r := range d.Status.Rollouts {
		fmt.Fprintf(h, "%q %q %d %v %t\n", r.Policy, r.Current.Digest, exact(r.UpdatedAt).UnixMicro(), r.RollbackTo, r.Held)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// alongOf is, by cluster and rollout, what is there for the sake of others.
func alongOf(orders map[string]*v1alpha1.Delivery) map[string]map[string][]string {
	along := map[string]map[string][]string{}
	for cluster, d := range orders {
		along[cluster] = map[string][]string{}
		for _, r := range d.Status.Rollouts {
			along[cluster][r.Policy] = r.Dependencies
		}
	}
	return along
}

// turnsOf are the turns that orders give, by cluster and rollout.
func (e *engine) turnsOf(ctx context.Context, f *federation, plan *propagate.Plan, orders map[string]*v1alpha1.Delivery) map[string]map[string]propagate.StageAssignment {
	all := map[string]map[string]propagate.StageAssignment{}
	for cluster, d := range orders {
		all[cluster] = map[string]propagate.StageAssignment{}
		for _, r := range d.Status.Rollouts {
			i := slices.IndexFunc(plan.Rollouts(), func(x *propagate.Rollout) bool { return x.Name() == r.Policy })
			if i < 0 {
				continue
			}
			turn := propagate.StageAssignment{}
			if r.Held || r.Current.Digest != f.fingerprints.Rollout(plan.Rollouts()[i], cluster) { // what was decided may be about the commit before
				turn.Held = propagate.UndecidedStage
			}
			if r.RollbackTo != nil {
				turn.RollbackTo = e.restored(ctx, f, plan, cluster, r)
			}
			all[cluster][r.Policy] = turn
		}
	}
	return all
}

// restored is the plan of which a rollback gives something back; nil where it cannot be made as it was, and then hands are
// off.
func (e *engine) restored(ctx context.Context, f *federation, now *propagate.Plan, cluster string, r v1alpha1.DeliveryRollout) *propagate.Plan {
	version := stage.Version(*r.RollbackTo)
	plan, err := e.pastPlan(ctx, f, now, version.Revision)
	if err == nil {
		err = f.sameAsThen(plan, r.Policy, stage.Decision{Cluster: cluster, RollbackTo: &version})
	}
	if err != nil {
		e.log.Warn("what a rollback gives back cannot be made", "federation", f.key, "cluster", cluster, "revision", version.Revision, "error", err)
		return nil
	}
	return plan
}
