package deliver

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/reconciler/state/changes"
)

// firstRetry and lastRetry bound the back-off of a delivery that did not succeed.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = time.Minute
)

// enqueue requests a delivery. A Federation that waits already becomes more urgent, never less.
func (w *Worker) enqueue(federation types.NamespacedName, p changes.Priority, after time.Duration) {
	w.queue.Add(federation, int(p), after)
}

// work delivers a queued Federation. A delivery that was not complete is repeated with the same priority: after a back-off, or when
// the API server, which is busy, allows it.
func (w *Worker) work(ctx context.Context, federation types.NamespacedName, priority int) {
	if w.deliver(ctx, federation) {
		w.queue.Forget(federation)
	} else if busy := w.member.Breaker.RetryAfter(); busy > 0 {
		w.queue.Add(federation, priority, busy)
	} else {
		w.queue.Retry(federation, priority)
	}
}
