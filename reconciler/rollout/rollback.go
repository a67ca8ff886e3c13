package rollout

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	plan := f.PastPlan(version.Revision)
	if plan == nil {
		if p.planAt == nil || version.Revision == "" {
			return nil, errors.New("the commit that it came from is unknown")
		}
		var err error
		if plan, err = p.planAt(ctx, f, active, version.Revision); err != nil {
			return nil, err
		}
		f.KeepPastPlan(active, version.Revision, plan)
	}
	return plan, f.RestoresVersion(plan, rollout, cluster, version)
}

// rollBack makes the plans that a decision rolls clusters back to. A cluster whose version cannot be restored is held, and
// the reason is reported.
func (p *Past) rollBack(ctx context.Context, f *state.Federation, d *rolloutrecord.Decision) {
	for name, o := range d.Outcomes {
		for _, x := range o.Decisions {
			if x.RollbackTo == nil {
				continue
			}
			turn := staged.Assignment{Held: x.Held}
			plan, err := p.Plan(ctx, f, d.Plan, name, x.Cluster, *x.RollbackTo)
			if plan == nil {
				d.DecideAgain(time.Now().Add(changes.RetryInterval))
			}
			if err != nil {
				turn.Held = fmt.Sprintf("%s; its last healthy version cannot be restored: %v", x.Held, err)
			} else {
				turn.RollbackTo = plan
			}
			d.SetTurn(x.Cluster, name, turn)
		}
	}
}
