package member

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

// reconcilePull writes the leader's part of the status of a Cluster in pull mode. accord never connects to the cluster: its agent
// writes the condition Ready and lastProbeTime. Until the first report, Ready is Unknown.
func (c *Controller) reconcilePull(ctx context.Context, member *v1alpha1.Cluster) (reconcile.Result, error) {
	if c.Registry.Follower() {
		return reconcile.Result{}, nil
	}
	now := time.Now()
	c.Pull(member.Name, string(member.UID))
	if err := c.hear(ctx, member, now); err != nil {
		return reconcile.Result{}, err
	}
	if member.Status.LastProbeTime != nil {
		return c.reconcileRemote(ctx, member, probeInterval)
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

// hear takes over what the agent of a cluster wrote last: its Lease, and its probe of the cluster.
func (c *Controller) hear(ctx context.Context, member *v1alpha1.Cluster, now time.Time) error {
	lease := &coordinationv1.Lease{}
	fromMemory := &client.GetOptions{Raw: &metav1.GetOptions{ResourceVersion: "0"}}
	key := types.NamespacedName{Namespace: c.Namespace, Name: registration.LeaseName(member.Name)}
	if err := c.Secrets.Get(ctx, key, lease, fromMemory); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading the lease of the agent of cluster %s: %w", member.Name, err)
	}
	if lease.Spec.RenewTime != nil {
		c.Registry.RecordBeat(member.Name, lease.Spec.RenewTime.Time, now)
	}
	c.Registry.RecordProbe(member.Name, reachability.ProbeOf(member))
	unreachable := c.Registry.Reachability(member.Name, now).Unreachable
	c.mu.Lock()
	before, known := c.unreachable[member.Name]
	c.unreachable[member.Name] = unreachable
	c.mu.Unlock()
	if !known || before != unreachable {
		c.Pool.ReachabilityChanged(member.Name)
	}
	return nil
}
