// Package retryqueue queues the keys of work, each once, and tries failed work again after a back-off.
package retryqueue

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// FirstRetry and LastRetry bound the back-off of most queues.
const (
	FirstRetry = 500 * time.Millisecond
	LastRetry  = time.Minute
)

// Later is the priority of keys that let all others go first: each of very many. That of the others is 0.
const Later = -1

// Queue has the keys that wait. A key that is added again keeps the earlier time and the higher priority.
type Queue[K comparable] struct {
	priorityqueue.PriorityQueue[K]
}

// New returns an empty queue. first and last bound the back-off of failed work.
func New[K comparable](first, last time.Duration) Queue[K] {
	const unnamed = "" // without metrics
	return Queue[K]{priorityqueue.New(unnamed, func(o *priorityqueue.Opts[K]) {
		o.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[K](first, last)
	})}
}

// AddLater has a key worked on after some time, when no other key is ready.
func (q Queue[K]) AddLater(key K, after time.Duration) {
	priority := Later
	q.AddWithOpts(priorityqueue.AddOpts{After: after, Priority: &priority}, key)
}

// Run works until ctx ends, on some keys at once and never twice on one. After an error it calls failed, and works again later.
func (q Queue[K]) Run(ctx context.Context, workers int, work func(context.Context, K) error, failed func(K, error)) {
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { q.work(ctx, work, failed) })
	}
	<-ctx.Done()
	q.ShutDown()
	running.Wait()
}

func (q Queue[K]) work(ctx context.Context, work func(context.Context, K) error, failed func(K, error)) {
	for {
		key, priority, shutdown := q.GetWithPriority()
		if shutdown {
			return
		}
		if err := work(ctx, key); err == nil {
			q.Forget(key)
		} else if ctx.Err() == nil {
			failed(key, err)
			q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, key)
		}
		q.Done(key)
	}
}
