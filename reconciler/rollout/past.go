package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
	"github.com/accord-dev/accord/propagate/staged"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/rolloutrecord"
)

// PlanAt makes the plan of an older revision for the clusters of the active plan.
type PlanAt func(ctx context.Context, f *state.Federation, active *propagate.Plan, revision string) (*propagate.Plan, error)

// Past makes the plans of older revisions, each once for an active plan. A follower uses it too: it executes rollbacks.
type Past struct {
	planAt PlanAt // nil where there are no sources to plan from
}

// NewPast returns a Past. planAt is nil where there are no sources to plan from.
func NewPast(planAt PlanAt) *Past { return &Past{planAt} }

// Plan returns the plan of an older revision that has a version of a rollout on a cluster.
func (p *Past) Plan(ctx context.Context, f *state.Federation, active *propagate.Plan, rollout, cluster string, version stage.Version) (*propagate.Plan, error) {
	plan, made := f.PastPlan(version.Revision)
	if plan != nil && (made || restores(f, plan, rollout, cluster, version) == nil) {
		return plan, restores(f, plan, rollout, cluster, version)
	}
	if p.planAt == nil || version.Revision == "" {
		return nil, errors.New("the commit that it came from is unknown")
	}
	plan, err := p.planAt(ctx, f, active, version.Revision)
	if err != nil {
		return nil, err
	}
	f.KeepPastPlan(active, version.Revision, plan)
	return plan, restores(f, plan, rollout, cluster, version)
}

// restores returns why a past plan does not have the version that a cluster is rolled back to; nil if it has.
func restores(f *state.Federation, past *propagate.Plan, rollout, cluster string, version stage.Version) error {
	i := slices.IndexFunc(past.Rollouts(), func(r *propagate.Rollout) bool { return r.Name() == rollout })
	if i < 0 || f.RolloutDigest(past.Rollouts()[i], cluster) != version.Digest {
		return fmt.Errorf("rendered from %s for the clusters of today it would be another version", phrase.Revision(version.Revision))
	}
	return nil
}

// Moved returns the plan of a revision for the clusters and the evictions of the active plan, whose revision is wanted; nil for no revision.
func (p *Past) Moved(ctx context.Context, f *state.Federation, active *propagate.Plan, wanted, revision string) (*propagate.Plan, error) {
	if revision == "" {
		return nil, nil
	}
	if revision == wanted {
		return active, nil
	}
	kept := "moved " + revision // beside the plan of that revision as it was, which has other versions of the clusters
	if plan, _ := f.PastPlan(kept); plan != nil {
		return plan, nil
	}
	if p.planAt == nil {
		return nil, errors.New("there are no sources to plan from")
	}
	plan, err := p.planAt(ctx, f, active, revision)
	if err != nil {
		return nil, err
	}
	f.KeepPastPlan(active, kept, plan)
	return plan, nil
}

// move makes the plans with the versions of the objects that evictions bring to clusters before their turn. Without the plan these
// objects wait for the turn, too, and the reason is reported.
func (p *Past) move(ctx context.Context, f *state.Federation, d *rolloutrecord.Decision) {
	for name, o := range d.Outcomes {
		for _, x := range o.Decisions {
			turn := d.Turns[x.Cluster][name]
			plan, err := p.Moved(ctx, f, d.Plan, d.Revision, d.MovedRevision(name, x))
			if turn.Moved = plan; err != nil {
				turn.Held = fmt.Sprintf("%s; the version of evicted objects cannot be restored: %v", turn.Held, err)
				d.DecideAgain(time.Now().Add(changes.RetryInterval))
			}
			if plan != nil || err != nil {
				d.SetTurn(x.Cluster, name, turn)
			}
		}
	}
}

// restore makes the plans that a decision rolls clusters back to, or whose versions waiting clusters keep. A cluster whose version
// cannot be restored is not changed, and the reason is reported.
func (p *Past) restore(ctx context.Context, f *state.Federation, d *rolloutrecord.Decision) {
	failed := map[string]error{} // by revision
	for name, o := range d.Outcomes {
		for _, x := range o.Decisions {
			version, what := x.RollbackTo, "its last healthy version cannot be restored"
			if x.Keeps {
				current := o.State.Clusters[x.Cluster].Current
				version, what = &current, "its version is not repaired meanwhile"
			}
			if version == nil {
				continue
			}
			turn := staged.Assignment{Held: x.Held}
			var plan *propagate.Plan
			err := failed[version.Revision]
			if err == nil {
				plan, err = p.Plan(ctx, f, d.Plan, name, x.Cluster, *version)
			}
			switch {
			case plan == nil:
				failed[version.Revision] = err
				d.DecideAgain(time.Now().Add(changes.RetryInterval))
				fallthrough
			case err != nil:
				turn.Held = fmt.Sprintf("%s; %s: %v", x.Held, what, err)
			default:
				turn.RollbackTo, turn.Keeps = plan, x.Keeps
			}
			d.SetTurn(x.Cluster, name, turn)
		}
	}
}
