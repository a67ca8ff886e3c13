package member

import (
	"context"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/readiness"
)

// reconcilePull writes the leader's part of the status of a Cluster in pull mode. accord never connects to the cluster: its agent
// writes the condition Ready and lastProbeTime. Until the first report, Ready is Unknown.
func (c *Controller) reconcilePull(ctx context.Context, member *v1alpha1.Cluster) (reconcile.Result, error) {
	if c.Registry.Follower() {
		return reconcile.Result{}, nil
	}
	if err := c.timeTaints(ctx, member); err != nil { // the next reconciliation tries again
		c.Log.Warn("cannot set the time of taints", "cluster", member.Name, "error", err)
	}
	c.Pull(member.Name, string(member.UID), member.ResourceVersion)
	now := time.Now()
	c.hear(member, now)
	if member.Status.LastProbeTime != nil {
		return c.reconcileRemote(ctx, member, min(probeInterval, c.Registry.AgentLease(member.Name)/4))
	}
	next := status.ClusterWithoutAgent(member.Status, member.Generation, now)
	c.addTaints(member, &next)
	if err := c.taint(ctx, member, &next, false, now); err != nil {
		return reconcile.Result{}, err
	}
	if equality.Semantic.DeepEqual(next, member.Status) {
		return reconcile.Result{RequeueAfter: probeInterval}, nil
	}
	return c.writeStatus(ctx, member, next, probeInterval)
}

// HeardAgain has the return of a silent agent announced, also if nobody noticed its silence but a decision that fell meanwhile. It does not
// block.
func (c *Controller) HeardAgain(cluster string) {
	c.presence.hear(cluster, reachability.AgentSilent)
	c.Wake(cluster)
}

// hear takes over the last probe that the agent of a cluster wrote, and announces whether the agent is heard.
func (c *Controller) hear(member *v1alpha1.Cluster, now time.Time) {
	c.Registry.ExpectBeat(member.Name, now)
	c.Registry.RecordProbe(member.Name, reachability.ProbeOf(member))
	unreachable := c.Registry.Reachability(member.Name, now).Unreachable
	c.mu.Lock()
	c.readiness[member.Name] = readiness.Recorded(meta.FindStatusCondition(member.Status.Conditions, fluxmeta.ReadyCondition), refusals)
	c.mu.Unlock()
	if c.presence.hear(member.Name, unreachable) {
		c.Pool.ReachabilityChanged(member.Name)
	}
}
