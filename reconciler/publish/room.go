package publish

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// roomPoll is the interval at which a plan looks whether an agent has reported the free resources of its cluster.
const roomPoll = 50 * time.Millisecond

// Room has the agents measure the free resources of the clusters that never were measured, and waits for those that are reachable until ctx
// ends. It returns the clusters with what their agents have reported since, and whether it asked any. The argument is not changed.
func (p *Publisher) Room(ctx context.Context, members []v1alpha1.Cluster) (informed []v1alpha1.Cluster, asked bool) {
	if p.store == nil {
		return members, false
	}
	informed = slices.Clone(members)
	var open []*v1alpha1.Cluster
	for i := range informed {
		if c := &informed[i]; p.registry.HasAgent(c.Name) && !measured(c) {
			p.Changed(c.Name)
			open = append(open, c)
		}
	}
	asked = len(open) > 0
	for {
		open = slices.DeleteFunc(open, func(c *v1alpha1.Cluster) bool { return p.answeredRoom(ctx, c) })
		if len(open) == 0 {
			return informed, asked
		}
		select {
		case <-time.After(roomPoll):
		case <-ctx.Done():
			return informed, asked
		}
	}
}

// answeredRoom reads the status of a Cluster again, and reports whether a plan waits for its agent no longer.
func (p *Publisher) answeredRoom(ctx context.Context, c *v1alpha1.Cluster) bool {
	now := &v1alpha1.Cluster{}
	if err := p.cached.Get(ctx, types.NamespacedName{Name: c.Name}, now); err != nil || now.UID != c.UID {
		return true
	}
	c.Status = now.Status
	return measured(c) || p.registry.Reachability(c.Name, time.Now()).Unreachable != ""
}

// measured reports whether the free resources of a cluster were measured, or cannot be.
func measured(c *v1alpha1.Cluster) bool {
	return c.Status.ResourceSummary != nil || meta.IsStatusConditionFalse(c.Status.Conditions, v1alpha1.ResourceSummaryAvailable)
}
