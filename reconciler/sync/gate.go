package sync

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/state/activation"
)

// Gate decides what a run without a hub may read and deliver.
type Gate struct {
	// Rules of the Tenant that governs the Federation; nil without Tenants.
	Rules *tenancy.Rules

	federation *v1alpha1.Federation
}

// NewGate returns the gate of a Federation. The error is a *status.RefusalError if a Tenant refuses one of its sources, or if there
// are Tenants and not exactly one governs it. Every Tenant allows a repository on this machine: a person named it on the command
// line.
func NewGate(tenants []v1alpha1.Tenant, fed *v1alpha1.Federation) (Gate, error) {
	rules, refused := tenancy.Of(tenants, fed.Namespace+"/"+fed.Name, false)
	if refused != nil {
		return Gate{}, tenantRefusal([]tenancy.Refusal{*refused})
	}
	elsewhere := slices.DeleteFunc(slices.Clone(fed.Spec.Sources), func(s v1alpha1.Source) bool { return filepath.IsAbs(s.URL) })
	return Gate{Rules: rules, federation: fed}, tenantRefusal(rules.Sources(elsewhere))
}

// Read fetches the sources and decodes their manifests, within the limits of the Tenant.
func (g Gate) Read(ctx context.Context, sources Sources, secret secrets) (Checkout, decode.Parts, error) {
	reading, explain, end := withinFetchTime(ctx, g.Rules)
	defer end()
	checkout, err := Fetch(reading, sources, g.federation, g.Rules, secret)
	if err != nil {
		return Checkout{}, decode.Parts{}, explain(err)
	}
	parts, err := checkout.Parts(nil, g.Rules.Budget())
	if err == nil && g.Rules != nil {
		err = tenantRefusal(g.Rules.Scripts(parts))
	}
	return checkout, parts, overLimit(g.Rules, err)
}

// Refuse returns why the run does not deliver a plan: its mistakes, refusals of the Tenant, or the missing approval. As for the first
// commit of a Federation no delivered revision is known, so each error blocks, except those of the checks in allowed.
func (g Gate) Refuse(p *activation.Pending, checkout Checkout, parts decode.Parts, in propagate.Input, allowed []string) error {
	refused := tenancy.Findings(g.Rules.Check(tenancy.Revision{Federation: g.federation, Parts: parts, Plan: p.Plan, AllowPrune: checkout.AllowsPrune()}))
	digest := p.Plan.Digest() // renders and keeps the objects, which the checks would render for themselves
	found := slices.Concat(refused, p.Findings, check.RunOn(in, p.Plan, check.OutcomesSince(p.Plan, nil), check.BlockingChecks()...))
	blocking := slices.DeleteFunc(check.Blocking(nil, found), func(f propagate.Finding) bool { return !f.Unconditional && slices.Contains(allowed, f.Code) })
	if err := mistakes(blocking, nil); err != nil {
		return err
	}
	switch required := g.federation.Spec.Approval; {
	case required == nil:
		return nil
	case required.NotBy == v1alpha1.NotByAuthor:
		return fmt.Errorf("the plan %s is not approved, and there is no hub to approve it on: spec.approval.notBy excludes trailers, which the author writes", digest)
	case !required.Allows(v1alpha1.ApprovalByTrailer):
		return fmt.Errorf("the plan %s is not approved, and there is no hub to approve it on: spec.approval.by must have Trailer", digest)
	case !slices.Contains(p.Commits.Approves, digest):
		return fmt.Errorf("the plan %s is not approved, and there is no hub to approve it on: push a commit with the trailer %q in the last paragraph of its message",
			digest, v1alpha1.ApprovePlanTrailer+": "+digest)
	}
	return nil
}
