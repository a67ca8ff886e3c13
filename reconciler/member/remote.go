package member

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/deliver"
)

// resourcesRequested is the reason of the condition ResourceSummaryAvailable with which the leader asks the replica that
// owns a cluster to measure its resources. It stays until that replica has measured them.
const resourcesRequested = "Requested"

// reconcileRemote writes the leader's part of the status of a Cluster that another replica owns: its taints, and that a plan needs
// its free resources. The owner writes the rest.
func (c *Controller) reconcileRemote(ctx context.Context, member *v1alpha1.Cluster) (ctrl.Result, error) {
	if c.Registry.Follower() {
		return ctrl.Result{}, nil
	}
	next := member.Status
	c.addTaints(member, &next)
	if c.Registry.RoomRequired() && !resourcesWanted(member) {
		next.Conditions = slices.Clone(next.Conditions)
		meta.SetStatusCondition(&next.Conditions, metav1.Condition{
			Type: v1alpha1.ResourceSummaryAvailable, Status: metav1.ConditionUnknown, Reason: resourcesRequested,
			Message: "a plan depends on the resources of the cluster; they are about to be measured", ObservedGeneration: member.Generation,
		})
	}
	if !equality.Semantic.DeepEqual(next, member.Status) {
		if err := c.writeStatus(ctx, member, next); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: deliver.SurveyInterval}, nil
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
