package agent

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// questions are those of the hub that the agent answers now: trials, and an inquiry. Only the loop that follows the bundles uses them.
type questions struct {
	open    map[string]context.CancelFunc // by ID
	running sync.WaitGroup
}

// begin answers a question until the answer is sent, or end is called.
func (q *questions) begin(ctx context.Context, id string, answer func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	q.open[id] = cancel
	q.running.Go(func() { answer(ctx) })
}

// end gives up the questions that an index does not have any more.
func (q *questions) end(index *bundle.Index) {
	ended := maps.Clone(q.open)
	for _, t := range index.Trials {
		delete(ended, t.ID)
	}
	if index.Inquiry != nil {
		delete(ended, index.Inquiry.ID)
	}
	for id, cancel := range ended {
		cancel()
		delete(q.open, id)
	}
}

// takeStock begins to answer the inquiry of an index, unless it has begun.
func (a *Agent) takeStock(ctx context.Context, index *bundle.Index) {
	inquiry := index.Inquiry
	if inquiry == nil || a.questions.open[inquiry.ID] != nil {
		return
	}
	a.questions.begin(ctx, inquiry.ID, func(ctx context.Context) {
		for again := newBackoff(lastRetry); ctx.Err() == nil; sleep(ctx, again.next()) {
			found, err := a.stock(ctx, inquiry)
			if err == nil {
				a.answer(ctx, found)
				return
			}
			a.Log.Warn("cannot find out which objects the hub has no record of, trying again", "cluster", a.Cluster, "error", err)
		}
	})
}

// stock asks the API server of the cluster for the objects of an inquiry.
func (a *Agent) stock(ctx context.Context, inquiry *bundle.Inquiry) (bundle.Inventories, error) {
	found := bundle.Inventories{ID: inquiry.ID, Objects: map[string][]v1alpha1.DiscoveredObject{}}
	why, err := a.pool.Ask(ctx, a.Cluster, func(m *clusters.Member) error {
		federations, err := apply.Federations(ctx, m)
		if err != nil {
			return err
		}
		for _, applySet := range inquiry.ApplySets {
			federation, there := federations[applySet]
			if !there {
				found.Objects[applySet] = nil
				continue
			}
			objects, err := apply.Discover(ctx, m, federation)
			if err != nil { // the answer about the other Federations counts
				found.Error = err.Error()
				continue
			}
			found.Objects[applySet] = live.Reported(objects)
		}
		return nil
	})
	if why != "" {
		err = errors.New(why)
	}
	return found, err
}

// measure has the free resources of the cluster measured as soon as a plan of the hub depends on them; the prober reports them.
func (a *Agent) measure(ctx context.Context, index *bundle.Index) {
	if index.Room && !a.registry.RoomRequired() {
		a.registry.RequireRoom()
		a.questions.running.Go(func() { a.pool.Survey(ctx, true) })
	}
}

// answer sends an answer until the hub takes it or ctx ends.
func (a *Agent) answer(ctx context.Context, answer any) {
	for again := newBackoff(lastRetry); ctx.Err() == nil; sleep(ctx, again.next()) {
		taken, err := a.bundles.answer(ctx, answer)
		if taken || ctx.Err() != nil {
			return
		}
		a.Log.Warn("cannot send an answer to the hub, trying again", "cluster", a.Cluster, "error", err)
	}
}
