// Package decisionqueue queues the Federations that a loop has to decide about, and tries a decision again that could not be written.
package decisionqueue

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

const (
	// workers bounds the Federations that are decided at once.
	workers = 2
	// firstRetry and lastRetry bound the back-off of a decision that could not be written.
	firstRetry = 500 * time.Millisecond
	lastRetry  = time.Minute
)

// Queue has the Federations that wait for a decision, each once.
type Queue struct {
	waiting workqueue.TypedRateLimitingInterface[types.NamespacedName]
}

// New returns an empty queue.
func New() *Queue {
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](firstRetry, lastRetry)
	return &Queue{waiting: workqueue.NewTypedRateLimitingQueue(limit)}
}

// AddAfter requests a decision after a while. It does not block.
func (q *Queue) AddAfter(federation types.NamespacedName, wait time.Duration) {
	q.waiting.AddAfter(federation, wait)
}

// Run decides until ctx ends. After an error it calls failed, and decides again later.
func (q *Queue) Run(ctx context.Context, decide func(context.Context, types.NamespacedName) error, failed func(types.NamespacedName, error)) {
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { q.work(ctx, decide, failed) })
	}
	<-ctx.Done()
	q.waiting.ShutDown()
	running.Wait()
}

func (q *Queue) work(ctx context.Context, decide func(context.Context, types.NamespacedName) error, failed func(types.NamespacedName, error)) {
	for {
		key, shutdown := q.waiting.Get()
		if shutdown {
			return
		}
		if err := decide(ctx, key); err == nil {
			q.waiting.Forget(key)
		} else if ctx.Err() == nil {
			failed(key, err)
			q.waiting.AddRateLimited(key)
		}
		q.waiting.Done(key)
	}
}
