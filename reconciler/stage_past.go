package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/source"
)

// giveBack makes the plans of which a rollback gives something back. Where that cannot be made as it was, hands are off,
// and the reason is told.
func (e *engine) giveBack(ctx context.Context, f *federation, c *course) {
	for name, o := range c.outcomes {
		for _, d := range o.Decisions {
			if d.RollbackTo == nil {
				continue
			}
			turn := propagate.StageAssignment{Held: d.Held}
			plan, err := e.pastPlan(ctx, f, c.plan, d.RollbackTo.Revision)
			if err == nil {
				err = f.sameAsThen(plan, name, d)
			} else {
				c.lookAgain(time.Now().Add(retryInterval))
			}
			if err != nil {
				turn.Held = fmt.Sprintf("%s; what it had cannot be given back: %v", d.Held, err)
			} else {
				turn.RollbackTo = plan
			}
			c.turns[d.Cluster][name] = turn
		}
	}
}

// sameAsThen says why an old plan does not have what the cluster was healthy on; nil when it has.
func (f *federation) sameAsThen(plan *propagate.Plan, name string, d stage.Decision) error {
	i := slices.IndexFunc(plan.Rollouts(), func(r *propagate.Rollout) bool { return r.Name() == name })
	if i < 0 || f.fingerprints.Rollout(plan.Rollouts()[i], d.Cluster) != d.RollbackTo.Digest {
		return fmt.Errorf("rendered from %s for the clusters of today it would be another version", d.RollbackTo.Revision)
	}
	return nil
}

// pastPlan is the plan of an older commit for the clusters of today. It is made once for a plan.
func (e *engine) pastPlan(ctx context.Context, f *federation, now *propagate.Plan, revision string) (*propagate.Plan, error) {
	f.mu.Lock()
	known := f.staging.past[revision]
	f.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if e.revisit == nil || revision == "" {
		return nil, errors.New("nothing says which commit it came from")
	}
	plan, err := e.revisit(ctx, f, now, revision)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan == now {
		if f.staging.past == nil {
			f.staging.past = map[string]*propagate.Plan{}
		}
		f.staging.past[revision] = plan
	}
	return plan, nil
}

// revisit makes the plan of an older commit, with the fleet and the choices of now.
func (s *syncer) revisit(ctx context.Context, f *federation, now *propagate.Plan, revision string) (*propagate.Plan, error) {
	fed, err := f.at(revision)
	if err != nil {
		return nil, err
	}
	c, err := fetch(ctx, s.cache, fed, s.secretOf(fed))
	if err != nil {
		return nil, err
	}
	parts, err := c.parts(nil)
	if err != nil {
		return nil, err
	}
	in := parts.Input().WithFederation(fed)
	in.Revision, in.Fleet, in.TaintPolicies, in.Previous = revision, now.Fleet(), nil, now.Previous()
	return propagate.New(in)
}

// at is the Federation with its sources at the commits of a revision.
func (f *federation) at(revision string) (*v1alpha1.Federation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	releases := slices.Clone(f.releases)
	if f.release != nil {
		releases = append(releases, *f.release)
	}
	return atCommits(f.declaration, releases, revision)
}

// atCommits is a Federation with its sources at the commits of a revision, which its Releases name.
func atCommits(fed *v1alpha1.Federation, releases []v1alpha1.Release, revision string) (*v1alpha1.Federation, error) {
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
		_, commit, err := source.ParseRevision(written)
		if err != nil {
			return nil, fmt.Errorf("no Release says any more which commit of source %q was %s", s.Name, revision)
		}
		ref := &v1alpha1.Ref{Commit: commit}
		if s.Ref != nil {
			ref.Branch = s.Ref.Branch
		}
		s.Ref = ref
	}
	return fed, nil
}
