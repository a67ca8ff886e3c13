package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	ownership "github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/recovery"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
)

// mistake is an error that a retry does not fix: only the next commit helps.
type mistake struct{ error }

// compile builds the sources, plans for the fleet as it is with the Clusters that they declare, and refuses what "accord plan"
// blocks. It writes nothing.
func (c *Controller) compile(ctx context.Context, s *scope) (*activation.Pending, error) {
	parts, err := c.Guards.turns.build(ctx, s.fed.Namespace, func() (decode.Parts, error) {
		return s.checkout.Parts(c.Builds(s.f.Key()), budget(s.rules))
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, err // it did not begin
	case errors.Is(err, errSlowBuild):
		s.input.Fleet = "" // tried again
		return nil, mistake{err}
	case err != nil:
		return nil, mistake{overLimit(s.rules, err)}
	}
	if err := recovery.UnknownSources(parts.Recoveries, liveSources(s.fed)); err != nil {
		return nil, mistake{err}
	}
	before := s.rules.Check(tenancy.Revision{Federation: s.fed, Parts: parts, Present: s.present}) // the hub is not asked about other Clusters
	before = append(before, s.rules.Scripts(parts)...)
	if err := mistakes(tenancy.Findings(before), nil); err != nil {
		return nil, mistake{err}
	}
	declared, err := c.declaredBy(ctx, s, parts.Clusters)
	if refused, ok := errors.AsType[*ownership.Refusal](err); ok {
		return nil, mistake{&manifest.Error{Origin: parts.Origins[refused.Cluster], Message: err.Error()}}
	} else if isMistake(err) {
		return nil, mistake{err}
	} else if err != nil {
		return nil, err
	}
	if err := c.federations(s, s.checkout.AllowsPrune(), true).declare(ctx, parts.Federations); isManifestError(err) {
		s.input.Fleet = "" // tried again: somebody may change the hub
		return nil, mistake{err}
	} else if err != nil {
		return nil, err
	}
	c.Discover(ctx, s.f, s.members)
	last, evictions := s.f.Previous(), s.f.Evictions()
	d, err := c.Decide(ctx, s.f.Plan(), targets(s.fed, s.rules.Members(declared.fleet)), func(members []v1alpha1.Cluster) propagate.Input {
		in := s.checkout.Input(s.fed, parts, members, last)
		in.Evictions, in.Unschedulable = evictions, s.unschedulable
		return in
	})
	if err != nil {
		return nil, mistake{err}
	}
	review := c.review(s.f.Key(), d)
	p := d.Pending(s.fed, s.checkout, parts, c.pool.Inform(s.members), review)
	p.Adds, p.ChangesClusters = declared.adds, declared.changes
	p.Input.Tenant, p.Resting.Tenant = s.rules.ID(), s.rules.ID()
	p.Input.Federations, p.Resting.Federations = s.input.Federations, s.input.Federations
	p.Input.Evictions, p.Input.Unschedulable = inputkey.Evictions(evictions), s.input.Unschedulable
	p.Resting.Evictions, p.Resting.Unschedulable = p.Input.Evictions, p.Input.Unschedulable
	if err := c.refuse(ctx, s, candidate{Decision: d, parts: parts, review: review, findings: p.Findings}); err != nil {
		return nil, mistake{err}
	}
	if missing(parts.Clusters, declared.fleet) {
		p.Input.Fleet, p.Resting.Fleet = "", "" // planned again until they exist
	}
	return p, nil
}

// declaredBy returns the fleet with the Clusters of a commit. It writes nothing.
func (c *Controller) declaredBy(ctx context.Context, s *scope, declared []v1alpha1.Cluster) (declaration, error) {
	if !concerns(s.fed, declared, s.present) {
		return declaration{fleet: s.members}, nil
	}
	var err error
	if s.present, err = c.present(ctx); err != nil {
		return declaration{}, err
	}
	s.members = targets(s.fed, s.rules.Members(s.present))
	return c.declare(ctx, s.fed, declared, s.present, true)
}

// missing reports whether a cluster that Git declares is not in the fleet: it is being deleted on the hub, and is declared
// again when it is gone.
func missing(declared, members []v1alpha1.Cluster) bool {
	return slices.ContainsFunc(declared, func(d v1alpha1.Cluster) bool {
		return !slices.ContainsFunc(members, func(m v1alpha1.Cluster) bool { return m.Name == d.Name })
	})
}

// commands takes over the commands that people put on the newest Release.
func (c *Controller) commands(ctx context.Context, f *state.Federation) error {
	name, ok := f.NewestRelease()
	if !ok || !f.HasRollouts() {
		return nil
	}
	release := &v1alpha1.Release{}
	release.Namespace, release.Name = f.Key().Namespace, name
	if err := c.Get(ctx, client.ObjectKeyFromObject(release), release); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading the commands on release %s: %w", release.Name, err)
	}
	c.pool.Enqueue(f.SetCommands(policy.CommandsOnHub(release.Annotations)))
	return nil
}
