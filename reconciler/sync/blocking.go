package sync

import (
	"context"
	"errors"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/status"
)

// candidate is the plan of a new commit, to compare with the delivered revision.
type candidate struct {
	Decision
	parts  decode.Parts
	review *check.Review
	// findings of the checks that read no rendered object.
	findings []propagate.Finding
}

// refuse returns the mistakes that a commit brings and that block it, as in "accord plan"; nil without any. A mistake that
// the delivered revision has too, or that came with the fleet, does not block. A refusal of the Tenant always blocks.
func (c *Controller) refuse(ctx context.Context, s *scope, n candidate) error {
	defer n.review.Release()
	revision, known := s.f.ActiveRevision()
	if recorded, restarted := s.f.RecordedRevision(); restarted {
		revision = recorded
	}
	refused := tenancy.Findings(c.refusals(s.f.Key(), s.rules, tenancy.Revision{
		Federation: s.fed, Parts: n.parts, Plan: n.Plan, Present: s.present, AllowPrune: s.checkout.AllowsPrune(),
	}))
	if revision == s.checkout.Revision() {
		return mistakes(check.Blocking(nil, refused), nil)
	}
	active := s.f.Plan()
	n.Plan.Digest() // renders and keeps the objects, which the checks would render for themselves
	after := slices.Concat(refused, n.findings, n.review.Run(check.OutcomesSince(n.Plan, active), check.BlockingChecks()...))
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
	r.Input = func(checkout Checkout, parts decode.Parts) (propagate.Input, error) {
		in := checkout.Input(s.fed, parts, nil, n.Input.Previous)
		in.Fleet, in.Now = declared.Fleet(n.Members, n.parts, parts, s.fed.Namespace+"."+s.fed.Name), n.Input.Now
		in.Evictions, in.Unschedulable = n.Input.Evictions, n.Input.Unschedulable
		return in, nil
	}
	made, err := c.PlanRecorded(ctx, r)
	if err != nil {
		return nil, nil
	}
	return check.Run(made.Input, made.Plan, append(check.Deciding(), check.BlockingChecks()...)...), made.Plan
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
	if slices.ContainsFunc(findings, func(f propagate.Finding) bool { return f.Unconditional }) {
		return &status.RefusalError{Err: errors.Join(errs...)}
	}
	return errors.Join(errs...)
}
