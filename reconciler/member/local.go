package member

import (
	"context"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// Probe connects the cluster of an agent if necessary, and probes it. It returns the next status of the Cluster, which has the taints that
// the hub wrote, and whether the status is worth a write; one with newer times only is after every.
func (c *Controller) Probe(ctx context.Context, member *v1alpha1.Cluster, every time.Duration) (next v1alpha1.ClusterStatus, due bool) {
	facts, err := c.probeLocal(ctx, member)
	next, _ = c.probed(member, facts, err, time.Now()) // the status has the error
	return next, worthWriting(member.Status, next, every)
}

// probeLocal connects with the account of the agent, once, and probes.
func (c *Controller) probeLocal(ctx context.Context, member *v1alpha1.Cluster) (clusters.Facts, error) {
	ctx, cancel := context.WithTimeout(ctx, ProbeTimeout)
	defer cancel()
	if c.Pool.Worker(member.Name) == nil {
		m, err := clusters.ConnectWith(c.Local, member.Name, &c.catalogs)
		if err != nil {
			return clusters.Facts{}, unusable{err}
		}
		c.Pool.Connect(m)
	}
	w := c.Pool.Worker(member.Name)
	if w == nil {
		return clusters.Facts{}, errRemoved
	}
	w.SetResourceModels(member.Spec.ResourceModels, c.Registry.RoomRequired() || resourcesWanted(member))
	return c.ask(ctx, member, w)
}
