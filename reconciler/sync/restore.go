package sync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// restore makes the recorded plan active again where the newest revision did not become active after a restart: its source
// cannot be read, it is invalid or parked, or the Federation is suspended. Where that is impossible, the records claim
// nothing until a plan is active (contract rules 3 and 8). Nor does a Ready Release that nobody reports: that of the restored plan may not be the
// newest.
func (c *Controller) restore(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation) error {
	revision, recorded := f.RecordedRevision()
	if !recorded {
		return nil
	}
	restored, err := c.restoreRecorded(ctx, f, fed, revision)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case restored:
		return c.reporter.WriteUnobserved(ctx, f, "accord was restarted, and has not read the newest commit since then")
	case err == nil:
		err = errors.New("for the clusters of today its plan is another one")
	}
	why := fmt.Sprintf("accord was restarted and cannot plan %s again", phrase.Revision(revision))
	return c.reporter.WriteUnobserved(ctx, f, why+": "+err.Error())
}

// restoreEvicting restores the recorded plan before the newest revision is planned if objects have eviction tasks. Evictions then begin
// and end from the active plan. Otherwise they would wait for the approval or the dry-run of the newest plan.
func (c *Controller) restoreEvicting(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation) error {
	revision, recorded := f.RecordedRevision()
	if possible := f.PossibleEvictions(); !recorded || len(possible) == 1 && len(possible[0]) == 0 {
		return nil
	}
	_, _ = c.restoreRecorded(ctx, f, fed, revision) // restore tries again after the newest revision, and reports the error
	return ctx.Err()
}

// restoreRecorded makes the plan of the recorded revision active again. It returns false if that is impossible.
func (c *Controller) restoreRecorded(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation, revision string) (bool, error) {
	var last error
	for _, tasks := range f.PossibleEvictions() {
		made, err := c.planRecorded(ctx, f, fed, revision, tasks)
		if err != nil {
			last = err
			continue
		}
		if next, restored := f.RestorePlan(made.Plan, revision, made.AllowPrune, time.Now()); restored {
			c.pool.Enqueue(next)
			if _, _, due := f.EvictionsDue(); due {
				c.reporter.Enqueue(changes.Changes{Replan: []types.NamespacedName{f.Key()}})
			}
			return true, nil
		}
	}
	return false, last
}

// slowFetch bounds the time that reading the sources may take after a restart before accord restores the recorded plan.
const slowFetch = 5 * time.Second

// restoreIfSlow restores the recorded plan unless stop is called within slowFetch: a server that does not answer must not keep the
// statuses of the process before this one. stop waits for a restoration that has begun.
func (c *Controller) restoreIfSlow(ctx context.Context, s *scope) (stop func()) {
	if _, recorded := s.f.RecordedRevision(); !recorded {
		return func() {}
	}
	restored := make(chan struct{})
	timer := time.AfterFunc(slowFetch, func() {
		defer close(restored)
		_ = c.restore(ctx, s.f, s.fed) // Reconcile restores again, and returns the error
	})
	return func() {
		if !timer.Stop() {
			<-restored
		}
	}
}

// planRecorded makes the plan of a recorded revision for the clusters of today, with the given evictions.
func (c *Controller) planRecorded(ctx context.Context, f *state.Federation, fed *v1alpha1.Federation, revision string, evictions map[manifest.ID][]v1alpha1.GracefulEvictionTask) (RecordedPlan, error) {
	r := recorded(f, revision)
	r.Builds = c.Builds(f.Key())
	r.Input = func(checkout Checkout, parts decode.Parts) (propagate.Input, error) {
		members, err := c.Fleet(ctx, fed)
		in := checkout.Input(fed, parts, c.pool.Inform(members), f.Previous())
		in.Evictions = evictions
		return in, err
	}
	return c.PlanRecorded(ctx, r)
}
