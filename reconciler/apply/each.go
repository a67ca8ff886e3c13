package apply

import (
	"cmp"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// each runs f for all items with several workers, in order. The first error stops it. workers returns how many there may be now, at
// least one; it is asked again after each item.
func each[T any](ctx context.Context, workers func() int, items []T, f func(context.Context, T) error) error {
	g, working := errgroup.WithContext(ctx)
	e := eachItem[T]{workers: workers, items: items, running: 1}
	var work func() error
	work = func() error {
		for working.Err() == nil {
			item, another, ok := e.take()
			if another {
				g.Go(work)
			}
			if !ok {
				return nil
			}
			if err := f(working, item); err != nil {
				return err
			}
		}
		return nil // the first error has the reason
	}
	g.Go(work)
	return cmp.Or(g.Wait(), ctx.Err())
}

// eachItem hands out items.
type eachItem[T any] struct {
	workers func() int

	mu      sync.Mutex
	items   []T // not taken yet
	running int // workers
}

// take returns the next item for a worker, and whether another worker has to start. Without an item the worker ends: none is left, or
// there are more workers than there may be.
func (e *eachItem[T]) take() (item T, another, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	most := max(1, e.workers())
	if len(e.items) == 0 || e.running > most {
		e.running--
		return item, false, false
	}
	item, e.items = e.items[0], e.items[1:]
	if another = e.running < most && len(e.items) > 0; another {
		e.running++
	}
	return item, another, true
}
