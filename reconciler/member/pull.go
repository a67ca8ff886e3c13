package member

import (
	"context"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
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
	if err := c.timeTaints(ctx, member); err != nil { // the next reconciliation tries again
		c.Log.Warn("cannot set the time of taints", "cluster", member.Name, "error", err)
	}
	c.Pull(member.Name, string(member.UID))
	if err := c.hear(ctx, member); err != nil {
		return reconcile.Result{}, err
	}
	now := time.Now()
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

// beatAge is the greatest age of the Leases of agents, which the hub sends all at once: a request for each of a thousand agents costs it more.
const beatAge = 5 * time.Second

// beats has the time at which the Leases of all agents were read last.
type beats struct {
	mu   sync.Mutex
	read time.Time
}

// hearAll records the renewals of the Leases of all agents. The Leases were read at most beatAge ago, or an eighth of lease.
func (c *Controller) hearAll(ctx context.Context, lease time.Duration) error {
	c.beats.mu.Lock()
	defer c.beats.mu.Unlock()
	if time.Since(c.beats.read) < min(beatAge, lease/8) {
		return nil
	}
	var leases coordinationv1.LeaseList
	fromMemory := &client.ListOptions{Namespace: c.Namespace, Raw: &metav1.ListOptions{ResourceVersion: "0"}}
	if err := c.Secrets.List(ctx, &leases, fromMemory); err != nil {
		return fmt.Errorf("reading the leases of the agents: %w", err)
	}
	c.beats.read = time.Now()
	for i := range leases.Items {
		lease := &leases.Items[i]
		if cluster, is := registration.ClusterOfLease(lease.Name); is && lease.Spec.RenewTime != nil {
			lasts := time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second
			c.Registry.RecordBeat(cluster, lease.Spec.RenewTime.Time, lasts, c.beats.read)
		}
	}
	return nil
}

// hear takes over what the agent of a cluster wrote last: its Lease, and its probe of the cluster.
func (c *Controller) hear(ctx context.Context, member *v1alpha1.Cluster) error {
	if err := c.hearAll(ctx, c.Registry.AgentLease(member.Name)); err != nil {
		return err
	}
	now := time.Now()
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
