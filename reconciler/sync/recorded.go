package sync

import (
	"context"
	"fmt"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/source"
)

// Recorded names a revision that was delivered, and is planned again.
type Recorded struct {
	Federation *v1alpha1.Federation
	// Releases name the commits of a revision of several sources.
	Releases []v1alpha1.Release
	Revision string
	// Builds reuses earlier builds; nil builds everything.
	Builds *Builds
	// Input returns the Input of the plan, without its Revision. After is the plan before it; nil for none.
	Input func(Checkout, decode.Parts) (propagate.Input, error)
	After *propagate.Plan
}

// RecordedPlan is the plan of a recorded revision, with its input.
type RecordedPlan struct {
	Plan       *propagate.Plan
	Input      propagate.Input
	AllowPrune bool
}

// recorded returns a revision of a Federation with the commits that its Releases name.
func recorded(f *state.Federation, revision string) Recorded {
	fed, releases := f.SourcesAt()
	return Recorded{Federation: fed, Releases: releases, Revision: revision}
}

// PlanRecorded makes the plan of a recorded revision. It reads the clones on disk first, and asks the servers only for a commit that
// is not there: a source that cannot be read now was read before.
func (c *Controller) PlanRecorded(ctx context.Context, r Recorded) (RecordedPlan, error) {
	checkout, err := c.checkoutOf(ctx, r)
	if err != nil {
		return RecordedPlan{}, err
	}
	checkout = checkout.since(r.Releases, r.Revision)
	parts, err := c.Guards.turns.build(ctx, r.Federation.Namespace, func() (decode.Parts, error) { return checkout.Parts(r.Builds, nil) })
	if err != nil {
		return RecordedPlan{}, err
	}
	in, err := r.Input(checkout, parts)
	if err != nil {
		return RecordedPlan{}, err
	}
	in.Revision = r.Revision
	plan, err := r.After.Next(in)
	return RecordedPlan{Plan: plan, Input: in, AllowPrune: checkout.AllowsPrune()}, err
}

// PlanAt makes the plan of an older revision, with the clusters and the placements of the active plan.
func (c *Controller) PlanAt(ctx context.Context, f *state.Federation, active *propagate.Plan, revision string) (*propagate.Plan, error) {
	r := recorded(f, revision)
	var declared decode.Parts
	r.Input = func(_ Checkout, parts decode.Parts) (propagate.Input, error) {
		declared = parts
		in := parts.Input().WithFederation(r.Federation)
		in.Fleet, in.TaintPolicies, in.Previous, in.Evictions = active.Fleet(), nil, active.Previous(), active.Evictions()
		return in, nil
	}
	made, err := c.PlanRecorded(ctx, r)
	if err != nil {
		return nil, err
	}
	return made.Plan, c.refusedAgain(ctx, r.Federation, declared, made.Plan)
}

// checkoutOf reads the sources of a recorded revision.
func (c *Controller) checkoutOf(ctx context.Context, r Recorded) (Checkout, error) {
	pinned, err := pin(r.Federation, r.Releases, r.Revision)
	if err != nil {
		return Checkout{}, err
	}
	checkout, err := fetch(ctx, c.Sources, pinned, nil, c.SecretsOf(pinned), true)
	if err != nil {
		rules, refused := c.readable(ctx, r.Federation)
		if refused != nil {
			return Checkout{}, refused
		}
		return fetch(ctx, c.Sources, pinned, rules, c.SecretsOf(pinned), false)
	}
	return checkout, nil
}

// pin returns a Federation with its sources at the commits of a revision, which its Releases name. It drops the branches: they may be
// deleted, and without one the source searches all.
func pin(fed *v1alpha1.Federation, releases []v1alpha1.Release, revision string) (*v1alpha1.Federation, error) {
	fed = fed.DeepCopy()
	commits := map[string]string{}
	for _, r := range releases {
		if r.Spec.Revision == revision {
			for _, s := range r.Spec.Sources {
				commits[s.Name] = s.Revision
			}
		}
	}
	for i := range fed.Spec.Sources {
		s := &fed.Spec.Sources[i]
		written := commits[s.Name]
		if written == "" && len(fed.Spec.Sources) == 1 {
			written = revision
		}
		if s.Cluster != nil && source.IsCluster(written) {
			s.Ref = &v1alpha1.Ref{Commit: written} // see Sources.live
			continue
		}
		_, commit, err := source.ParseRevision(written)
		if err != nil || s.Cluster != nil {
			return nil, fmt.Errorf("no Release names the commit of source %q at %s any more", s.Name, revision)
		}
		s.Ref = &v1alpha1.Ref{Commit: commit}
	}
	return fed, nil
}
