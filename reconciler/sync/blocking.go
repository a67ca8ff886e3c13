package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/state"
)

// candidate is the plan of a new commit, to compare with the delivered revision.
type candidate struct {
	Decision
	parts propagate.Parts
	// findings of the checks that read no rendered object.
	findings []propagate.Finding
}

// refuse returns the mistakes that a commit brings and that block it, as in "accord plan"; nil without any. A mistake that
// the delivered revision has too, or that came with the fleet, does not block.
func (c *Controller) refuse(ctx context.Context, s *scope, n candidate) error {
	revision, known := s.f.ActiveRevision()
	if recorded, restarted := s.f.RecordedRevision(); restarted {
		revision = recorded
	}
	if revision == s.checkout.Revision() {
		return nil
	}
	active := s.f.Plan()
	after := slices.Concat(n.findings, check.RunOn(n.Input, n.Plan, check.OutcomesSince(n.Plan, active), check.BlockingChecks()...))
	if len(check.Blocking(known, after)) == 0 && (active != nil || revision == "") {
		return mistakes(nil, c.endedHolds(s, active, n.Plan))
	}
	before, plan := c.planDelivered(ctx, s, n, revision)
	if plan == nil {
		before, plan = known, active
	}
	return mistakes(check.Blocking(before, after), c.endedHolds(s, plan, n.Plan))
}

// planDelivered returns the findings and the plan of the delivered revision, with the Clusters that it declares and the present
// facts about all others. The plan is nil if no revision was delivered, or if its commit cannot be read or planned any more.
func (c *Controller) planDelivered(ctx context.Context, s *scope, n candidate, revision string) ([]propagate.Finding, *propagate.Plan) {
	if revision == "" {
		return nil, nil
	}
	r := recorded(s.f, revision)
	r.Input = func(checkout Checkout, parts propagate.Parts) (propagate.Input, error) {
		in := checkout.Input(s.fed, parts, nil, n.Input.Previous)
		in.Fleet, in.Now = declared.Fleet(n.Members, n.parts, parts, s.fed.Namespace+"."+s.fed.Name), n.Input.Now
		return in, nil
	}
	made, err := c.PlanRecorded(ctx, r)
	if err != nil {
		return nil, nil
	}
	return check.Run(made.Input, made.Plan, append(check.Deciding(), check.BlockingChecks()...)...), made.Plan
}

// RefuseOnce returns why a run without a hub does not deliver a plan: its mistakes, or the missing approval. As for the first commit
// of a Federation no delivered revision is known, so each error blocks, except those of the checks in allowed.
func RefuseOnce(fed *v1alpha1.Federation, p *state.PendingPlan, in propagate.Input, allowed []string) error {
	found := slices.Concat(p.Findings, check.RunOn(in, p.Plan, check.OutcomesSince(p.Plan, nil), check.BlockingChecks()...))
	blocking := slices.DeleteFunc(check.Blocking(nil, found), func(f propagate.Finding) bool { return slices.Contains(allowed, f.Code) })
	if err := mistakes(blocking, nil); err != nil {
		return err
	}
	if digest := p.Plan.Digest(); fed.Spec.RequireApproval && !slices.Contains(p.Approves, digest) {
		return fmt.Errorf("the plan %s is not approved, and there is no hub to approve it on: push a commit that has the line %q in its message",
			digest, v1alpha1.ApprovePlanTrailer+digest)
	}
	return nil
}

// endedHolds returns the holds that a commit ends and that kept objects from being deleted, unless the commit allows that.
func (c *Controller) endedHolds(s *scope, before, after *propagate.Plan) []permit.EndedHold {
	if before == nil || !s.fed.Spec.Prune || s.checkout.AllowsPrune() {
		return nil
	}
	return permit.EndedHolds(before, after)
}

// mistakes returns an error with each finding and each hold, nil without any.
func mistakes(findings []propagate.Finding, holds []permit.EndedHold) error {
	var errs []error
	for _, f := range findings {
		message := f.Message
		if f.Fix != "" {
			message += ": " + f.Fix
		}
		errs = append(errs, &manifest.Error{Origin: f.At, Message: message + " [" + f.Code + "]"})
	}
	for _, h := range holds {
		errs = append(errs, &manifest.Error{Origin: h.At, Message: h.String()})
	}
	return errors.Join(errs...)
}
