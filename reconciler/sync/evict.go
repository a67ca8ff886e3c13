package sync

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/reconciler/state"
)

// evict activates the plan of the active revision with the evictions that the hub records, if the active plan has others. Nothing else
// can differ: the plan has the same revision and the same clusters. So it needs no approval and no preflight; enabling failover is the
// approval. A newer revision that awaits approval stays pending.
func (c *Controller) evict(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation) error {
	active, revision, due := f.EvictionsDue()
	if !due {
		return nil
	}
	members, err := c.Fleet(ctx, fed)
	if err != nil {
		return err
	}
	r := recorded(f, revision)
	r.Builds, r.After = c.Builds(f.Key()), active
	var declared decode.Parts
	r.Input = func(checkout Checkout, parts decode.Parts) (propagate.Input, error) {
		declared = parts
		in := checkout.Input(fed, parts, nil, f.Previous())
		in.Fleet, in.Evictions = tainted(active.Fleet(), members), f.Evictions()
		return in, nil
	}
	defer c.pool.Planning(f.Key())()
	made, err := c.PlanRecorded(ctx, r)
	if err != nil {
		return fmt.Errorf("planning evictions: %w", err)
	}
	if err := c.refusedAgain(ctx, fed, declared, made.Plan); err != nil {
		return fmt.Errorf("planning evictions: %w", err)
	}
	activated := f.ActivateEvictions(made.Plan, time.Now())
	if activated.Release != nil {
		if err := c.store.Put(ctx, activated.Release); err != nil {
			return err
		}
	}
	unpersisted, err := c.reporter.Persist(ctx, f, activated.Carried)
	if err != nil {
		return err
	}
	c.pool.Enqueue(f.Persisted(unpersisted, activated.Touched, time.Now()))
	return nil
}

// tainted returns the clusters of the active plan with the taints and the conditions that they have now.
func tainted(all []fleet.Cluster, members []v1alpha1.Cluster) []fleet.Cluster {
	all = slices.Clone(all)
	for i := range all {
		for _, m := range members {
			if m.Name == all[i].Name {
				m.Status.APIEnablements = nil // they are not decoded again
				now := fleet.From(m, all[i].Origin)
				all[i].Taints, all[i].Conditions = now.Taints, now.Conditions
			}
		}
	}
	return all
}
