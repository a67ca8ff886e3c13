package sync

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// annotated returns the digests of plans that the annotation of a Release approves.
func annotated(r *v1alpha1.Release) []string {
	var digests []string
	for digest := range strings.SplitSeq(r.Annotations[v1alpha1.ApprovedPlanAnnotation], ",") {
		if digest = strings.TrimSpace(digest); planDigest.MatchString(digest) {
			digests = append(digests, digest)
		}
	}
	return digests
}

// approval returns the source of the approval of the pending plan: its own commit, the annotation of its Release, or that the plan
// changes nothing. It returns nil where no approval is required.
func (c *Controller) approval(ctx context.Context, s *scope) (*status.Approval, error) {
	required := s.fed.Spec.Approval
	if required == nil {
		return nil, nil
	}
	p := s.pending
	a := &status.Approval{Digest: p.Plan.Digest(), Namespace: p.Release.Namespace, Release: p.Release.Name, Policy: *required}
	if required.Allows(v1alpha1.ApprovalByTrailer) && slices.Contains(p.Approves, a.Digest) {
		a.By = "by the trailer of its commit, which " + p.Release.Spec.Author + " wrote"
		return a, nil
	}
	release := &v1alpha1.Release{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(p.Release), release); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading whether release %s is approved: %w", p.Release.Name, err)
	} else if err == nil && required.Allows(v1alpha1.ApprovalByAnnotation) && slices.Contains(annotated(release), a.Digest) {
		a.By = "by the annotation " + v1alpha1.ApprovedPlanAnnotation
		return a, nil
	}
	if !p.ChangesClusters && s.f.ChangesNothing(p.Plan) && !s.f.ChangesControl(p.Plan) {
		a.By = "because it changes nothing on any cluster"
	}
	return a, nil
}
