package member

import (
	"context"
	"fmt"
	"slices"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

// resourcesRequested is the reason of the condition ResourceSummaryAvailable with which the leader asks the replica that
// owns a cluster to measure its resources. It stays until that replica has measured them.
const resourcesRequested = "Requested"

// silent reports whether the owner of a cluster that was Ready has not reported a probe for so long that nobody knows whether it still is.
func (c *Controller) silent(member *v1alpha1.Cluster, now time.Time) bool {
	if c.Registry.HasAgent(member.Name) {
		return c.Registry.Reachability(member.Name, now).Unreachable == reachability.AgentSilent && meta.IsStatusConditionTrue(member.Status.Conditions, fluxmeta.ReadyCondition)
	}
	last := member.Status.LastProbeTime
	return last != nil && now.Sub(last.Time) > reachability.StaleProbe+c.Health.Thresholds.Failure && c.Registry.HandoverRemaining(now) <= 0 &&
		meta.IsStatusConditionTrue(member.Status.Conditions, fluxmeta.ReadyCondition)
}

// reconcileRemote writes the leader's part of the status of a Cluster that another replica owns: the taints of policies, that a plan
// needs its free resources, and that its owner reports nothing any more. The owner writes the rest. The Cluster is reconciled again after
// a while.
func (c *Controller) reconcileRemote(ctx context.Context, member *v1alpha1.Cluster, again time.Duration) (reconcile.Result, error) {
	if c.Registry.Follower() {
		return reconcile.Result{}, nil
	}
	next, now := member.Status, time.Now()
	if c.silent(member, now) {
		reporter := "replica"
		if member.Spec.SyncMode == v1alpha1.SyncModePull {
			reporter = "agent"
		}
		next = status.ClusterUnknown(next, member.Generation, reporter, now)
	}
	c.addTaints(member, &next)
	// An owner sets the automatic taints of its clusters while it reports. An agent only removes them.
	if ready := meta.FindStatusCondition(next.Conditions, fluxmeta.ReadyCondition); ready != nil && (ready.Reason == v1alpha1.ClusterStatusUnknown || c.Registry.HasAgent(member.Name)) {
		next.Conditions = slices.DeleteFunc(slices.Clone(next.Conditions), func(x metav1.Condition) bool { return x.Type == v1alpha1.FailoverBlocked })
		if err := c.taint(ctx, member, &next, false, now); err != nil {
			return reconcile.Result{}, err
		}
	}
	if c.Registry.RoomRequired() && !resourcesWanted(member) {
		next.Conditions = slices.Clone(next.Conditions)
		meta.SetStatusCondition(&next.Conditions, metav1.Condition{
			Type: v1alpha1.ResourceSummaryAvailable, Status: metav1.ConditionUnknown, Reason: resourcesRequested,
			Message: "a plan depends on the resources of the cluster; they are about to be measured", ObservedGeneration: member.Generation,
		})
	}
	if equality.Semantic.DeepEqual(next, member.Status) {
		return reconcile.Result{RequeueAfter: again}, nil
	}
	return c.writeStatus(ctx, member, next, again)
}

// resourcesWanted reports whether the leader has asked for the resources of a cluster: they were measured, or measuring
// them was requested or failed.
func resourcesWanted(member *v1alpha1.Cluster) bool {
	return member.Status.ResourceSummary != nil || meta.FindStatusCondition(member.Status.Conditions, v1alpha1.ResourceSummaryAvailable) != nil
}

// inherit reads the records of the replica that owned a cluster before, because this replica needs them before it delivers there. A
// follower reads them with its assignment.
func (c *Controller) inherit(ctx context.Context, cluster string) error {
	if !c.Registry.Shared() || c.Registry.Follower() {
		return nil
	}
	for _, f := range c.Registry.Federations() {
		var reports v1alpha1.DeliveryReportList
		err := c.Secrets.List(ctx, &reports, client.InNamespace(f.Key().Namespace),
			client.MatchingLabels{v1alpha1.FederationLabel: f.Key().Name, v1alpha1.ClusterLabel: cluster})
		if err != nil {
			return fmt.Errorf("reading the earlier deliveries to cluster %s: %w", cluster, err)
		}
		f.InheritInventories(reports.Items)
	}
	return nil
}
