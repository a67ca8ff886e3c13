package member

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

// reconcilePull writes the leader's part of the status of a Cluster in pull mode. accord never connects to the cluster: its agent
// writes the condition Ready and lastProbeTime. Until the first report, Ready is Unknown.
func (c *Controller) reconcilePull(ctx context.Context, member *v1alpha1.Cluster) (ctrl.Result, error) {
	if c.Registry.Follower() {
		return ctrl.Result{}, nil
	}
	now := time.Now()
	before := c.Registry.Reachability(member.Name, now).Unreachable
	c.Registry.RecordProbe(member.Name, reachability.ProbeOf(member))
	c.Pull(member.Name, string(member.UID))
	if c.Registry.Reachability(member.Name, now).Unreachable != before {
		c.Pool.ReachabilityChanged(member.Name)
	}
	if member.Status.LastProbeTime != nil {
		_, err := c.reconcileRemote(ctx, member)
		return ctrl.Result{RequeueAfter: probeInterval}, err
	}
	next := status.ClusterWithoutAgent(member.Status, member.Generation, now)
	c.addTaints(member, &next)
	if err := c.taint(ctx, member, &next, false, now); err != nil {
		return ctrl.Result{}, err
	}
	if !equality.Semantic.DeepEqual(next, member.Status) {
		if err := c.writeStatus(ctx, member, next); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: probeInterval}, nil
}
