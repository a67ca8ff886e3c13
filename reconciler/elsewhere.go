package reconciler

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// resourcesRequested is the reason of the condition ResourceSummaryAvailable with which the leader asks the replica that owns
// a cluster to measure its resources. It stays until that replica has measured them.
const resourcesRequested = "Requested"

// lookElsewhere writes what the leader decides about a Cluster that another replica holds, which writes the rest of its status:
// its taints, and that its room is needed.
func (p *prober) lookElsewhere(ctx context.Context, c *v1alpha1.Cluster) (ctrl.Result, error) {
	if p.engine.follows() {
		return ctrl.Result{}, nil
	}
	next := c.Status
	p.retaint(c, &next)
	if p.engine.share.needsRoom.Load() && !roomWanted(c) {
		next.Conditions = slices.Clone(next.Conditions)
		meta.SetStatusCondition(&next.Conditions, metav1.Condition{
			Type: v1alpha1.ResourceSummaryAvailable, Status: metav1.ConditionUnknown, Reason: resourcesRequested,
			Message: "a plan depends on the resources of the cluster; they are about to be measured", ObservedGeneration: c.Generation,
		})
	}
	if !equality.Semantic.DeepEqual(next, c.Status) {
		c.Status = next
		if err := p.store.PutStatus(ctx, c); err != nil && !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: surveyInterval}, nil
}

// roomWanted reports whether the leader has asked for the resources of a cluster: they were measured, or measuring them was
// requested or failed.
func roomWanted(c *v1alpha1.Cluster) bool {
	return c.Status.ResourceSummary != nil || meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ResourceSummaryAvailable) != nil
}
