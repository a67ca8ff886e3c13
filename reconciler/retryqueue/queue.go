// Package retryqueue queues the keys of work, each once, and tries failed work again after a back-off.
package retryqueue

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// FirstRetry and LastRetry bound the back-off of most queues.
const (
	FirstRetry = 500 * time.Millisecond
	LastRetry  = time.Minute
)

// Queue has the keys that wait.
type Queue[K comparable] struct {
	workqueue.TypedRateLimitingInterface[K]
}

// New returns an empty queue. first and last bound the back-off of failed work.
func New[K comparable](first, last time.Duration) Queue[K] {
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[K](first, last)
	return Queue[K]{workqueue.NewTypedRateLimitingQueue(limit)}
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
		key, shutdown := q.Get()
		if shutdown {
			return
		}
		if err := work(ctx, key); err == nil {
			q.Forget(key)
		} else if ctx.Err() == nil {
			failed(key, err)
			q.AddRateLimited(key)
		}
		q.Done(key)
	}
}
