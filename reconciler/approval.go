package reconciler

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// planDigest is the form of the digest of a plan.
var planDigest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// approves are the digests of plans that the commits approve, each in a line of the message.
func (c checkout) approves() []string {
	var digests []string
	for _, s := range c.snapshots {
		for line := range strings.Lines(s.Message) {
			digest, found := strings.CutPrefix(strings.TrimSpace(line), strings.TrimSpace(v1alpha1.ApprovePlanTrailer))
			if digest = strings.TrimSpace(digest); found && planDigest.MatchString(digest) {
				digests = append(digests, digest)
			}
		}
	}
	return digests
}

// annotated are the digests of plans that the annotation of a Release approves.
func annotated(r *v1alpha1.Release) []string {
	var digests []string
	for digest := range strings.SplitSeq(r.Annotations[v1alpha1.ApprovedPlanAnnotation], ",") {
		if digest = strings.TrimSpace(digest); planDigest.MatchString(digest) {
			digests = append(digests, digest)
		}
	}
	return digests
}

// approval is what approves a proposal: its own commit, the annotation of its Release, or that it changes nothing. It is nil
// where no approval is required.
func (s *syncer) approval(ctx context.Context, f *federation, fed *v1alpha1.Federation, p *proposal) (*status.Approval, error) {
	if !fed.Spec.RequireApproval {
		return nil, nil
	}
	a := &status.Approval{Digest: p.plan.Digest(), Namespace: p.release.Namespace, Release: p.release.Name}
	if slices.Contains(p.approves, a.Digest) {
		a.By = "the message of its commit says so"
		return a, nil
	}
	release := &v1alpha1.Release{}
	if err := s.Get(ctx, client.ObjectKeyFromObject(p.release), release); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading whether release %s is approved: %w", p.release.Name, err)
	} else if err == nil && slices.Contains(annotated(release), a.Digest) {
		a.By = "the annotation " + v1alpha1.ApprovedPlanAnnotation + " says so"
		return a, nil
	}
	if f.changesNothing(p.plan) {
		a.By = "it changes nothing on any cluster"
	}
	return a, nil
}

// decide has a proposal admitted if it is approved, and otherwise holds it.
func (s *syncer) decide(ctx context.Context, f *federation, fed *v1alpha1.Federation, p *proposal) error {
	a, err := s.approval(ctx, f, fed, p)
	switch {
	case err != nil:
		return err
	case a != nil && a.By == "":
		f.unapproved()
		return s.engine.hold(ctx, f, p, a)
	}
	return s.admit(ctx, f, fed, p, a)
}

// settle has the plan that waits for approval admitted as soon as its Release has it, and one that a cluster refused when it is
// time to ask again. It needs no look at the sources.
func (s *syncer) settle(ctx context.Context, f *federation, fed *v1alpha1.Federation) error {
	p := f.awaits(fed.Generation)
	if p == nil || !f.due(fed) {
		return nil
	}
	a, err := s.approval(ctx, f, fed, p)
	switch {
	case err != nil:
		return err
	case a == nil || a.By != "":
		return s.admit(ctx, f, fed, p, a)
	case f.again() > 0: // the approval was taken back
		f.unapproved()
		return s.engine.hold(ctx, f, p, a)
	}
	return nil
}

// approvals looks at a Federation again when somebody approves a plan of one of its Releases, or takes that back.
func approvals() handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []reconcile.Request {
		federation := obj.GetLabels()[v1alpha1.FederationLabel]
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: federation}}}
	})
}

// approvalChanged is true of a Release when the plans that it approves were changed.
func approvalChanged() predicate.Predicate {
	approves := func(obj client.Object) string { return obj.GetAnnotations()[v1alpha1.ApprovedPlanAnnotation] }
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool { return approves(e.ObjectOld) != approves(e.ObjectNew) },
		DeleteFunc: func(e event.DeleteEvent) bool { return false },
	}
}
