package sync

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/approval"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status"
)

// approval returns the source of the approval of the pending plan: its own commit, the annotation of its Release, or that the plan
// changes nothing. It returns nil where no approval is required.
func (c *Controller) approval(ctx context.Context, s *scope) (*status.Approval, error) {
	required := s.fed.Spec.Approval
	if required == nil {
		return nil, nil
	}
	p := s.pending
	a := &status.Approval{Digest: p.Plan.Digest(), Namespace: p.Release.Namespace, Release: p.Release.Name, Federation: s.fed.Name, Policy: *required}
	if approval.ByTrailer(a, p.Commits, p.Release.Spec.Author); a.By != "" {
		return a, nil
	}
	release := &v1alpha1.Release{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(p.Release), release); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading whether release %s is approved: %w", p.Release.Name, err)
	}
	if approval.ByAnnotation(a, p.Commits, release.Annotations); a.By != "" {
		if release.Status.ApprovedBy != a.Approver {
			var approved changes.Changes
			approved.Event(release, changes.Normal, v1alpha1.Approved, a.Message())
			c.pool.Enqueue(approved)
		}
		return a, nil
	}
	if !p.ChangesClusters && s.f.ChangesNothing(p.Plan) && !s.f.ChangesControl(p.Plan) {
		a.By = "because it changes nothing on any cluster"
	}
	return a, nil
}
