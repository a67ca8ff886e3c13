package reconciler

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// roomAsked stands in the status of a Cluster as long as a plan needs to know what room it has, and the replica that holds it
// has not counted that yet.
const roomAsked = "a plan needs to know it, and it is about to be counted"

// lookElsewhere writes what the leader decides about a Cluster that another replica holds, which writes the rest of its status:
// its taints, and that its room is needed.
func (p *prober) lookElsewhere(ctx context.Context, c *v1alpha1.Cluster) (ctrl.Result, error) {
	if p.engine.follows() {
		return ctrl.Result{}, nil
	}
	next := c.Status
	p.retaint(c, &next)
	if p.engine.share.needsRoom.Load() && next.ResourceSummary == nil && next.ResourceMessage == "" {
		next.ResourceMessage = roomAsked
	}
	if !equality.Semantic.DeepEqual(next, c.Status) {
		c.Status = next
		if err := p.store.PutStatus(ctx, c); err != nil && !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: surveyInterval}, nil
}

// roomWanted says that whoever leads needs to know what room a cluster has.
func roomWanted(c *v1alpha1.Cluster) bool {
	return c.Status.ResourceSummary != nil || c.Status.ResourceMessage != ""
}
