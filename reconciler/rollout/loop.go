// Package rollout is the loop of staged rollouts: it decides whose turn it is, writes the decision to the hub and acts on
// it. Package propagate/stage decides.
package rollout

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/retryqueue"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/rolloutrecord"
)

const (
	// workers bounds the Federations that are decided at once, writers the Deliveries that are written at once.
	workers = 2
	writers = 8
)

// Loop decides the rollouts of all Federations.
type Loop struct {
	registry *state.Registry
	pool     *deliver.Pool
	reporter *report.Reporter
	past     *Past
	log      *slog.Logger
	queue    retryqueue.Queue[types.NamespacedName]

	mu      sync.Mutex
	decided map[types.NamespacedName]time.Time // when each was decided last
}

// NewLoop returns a loop, which decides nothing before Run is called.
func NewLoop(registry *state.Registry, pool *deliver.Pool, reporter *report.Reporter, past *Past, log *slog.Logger) *Loop {
	return &Loop{
		registry: registry, pool: pool, reporter: reporter, past: past, log: log, queue: retryqueue.New[types.NamespacedName](retryqueue.FirstRetry, retryqueue.LastRetry),
		decided: map[types.NamespacedName]time.Time{},
	}
}

// Check requests a decision. It does not block.
func (l *Loop) Check(c changes.RolloutCheck) {
	l.mu.Lock()
	wait := c.Interval - time.Since(l.decided[c.Federation])
	l.mu.Unlock()
	l.queue.AddAfter(c.Federation, max(wait, changes.Gather))
}

// Run decides until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	l.queue.Run(ctx, workers, l.decide, func(key types.NamespacedName, err error) {
		l.log.Error("cannot write a rollout decision, trying again", "federation", key, "error", err)
	})
}

// decide makes one decision and acts on it. The hub has whatever leads to a write on a member before that write: a process
// that takes over at any point continues from there.
func (l *Loop) decide(ctx context.Context, key types.NamespacedName) error {
	f := l.registry.Federation(key)
	if f == nil || l.registry.Follower() { // the leader decides
		l.forget(key)
		return nil
	}
	d, ok := f.DecideRollouts(time.Now().UTC().Truncate(time.Microsecond))
	if !ok {
		return nil
	}
	if err := l.remember(ctx, f, d); err != nil {
		return err
	}
	l.past.restore(ctx, f, d)
	l.past.move(ctx, f, d)
	about, next := f.ActOnRollouts(d)
	if about != nil {
		next.Events = append(next.Events, events(about, d)...)
	}
	l.pool.Enqueue(next)
	l.mu.Lock()
	l.decided[key] = time.Now()
	l.mu.Unlock()
	if !d.Again.IsZero() {
		l.queue.AddAfter(key, time.Until(d.Again)+changes.Gather)
	}
	return nil
}

func (l *Loop) forget(key types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.decided, key)
}

// remember writes the state of a decision to the hub.
func (l *Loop) remember(ctx context.Context, f *state.Federation, d *rolloutrecord.Decision) error {
	federation, next, current := f.RememberRollouts(d)
	if !current {
		return nil
	}
	l.pool.Enqueue(next)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	for _, cluster := range d.Changed {
		g.Go(func() error { return l.reporter.WriteDelivery(ctx, f, cluster) })
	}
	if federation {
		g.Go(func() error { return l.reporter.WriteFederation(ctx, f) })
	}
	return g.Wait()
}
