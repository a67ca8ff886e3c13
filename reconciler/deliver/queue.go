package deliver

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/accord-dev/accord/reconciler/state/changes"
)

// firstRetry and lastRetry bound the back-off of a delivery that did not succeed.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = time.Minute
)

// queue has the Federations that wait for a delivery to one cluster, the most urgent first.
type queue = priorityqueue.PriorityQueue[types.NamespacedName]

func newQueue() queue {
	return priorityqueue.New("", func(o *priorityqueue.Opts[types.NamespacedName]) {
		o.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](firstRetry, lastRetry)
	})
}

// enqueue requests a delivery. A Federation that waits already becomes more urgent, never less.
func (w *Worker) enqueue(federation types.NamespacedName, p changes.Priority, after time.Duration) {
	w.queue.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(int(p)), After: after}, federation)
}

// retry repeats a delivery that was not complete, with the same priority: after a back-off, or when the API server, which
// is busy, allows it.
func (w *Worker) retry(federation types.NamespacedName, priority int) {
	o := priorityqueue.AddOpts{Priority: &priority, RateLimited: true}
	if busy := w.member.Breaker.RetryAfter(); busy > 0 {
		o = priorityqueue.AddOpts{Priority: &priority, After: busy}
	}
	w.queue.AddWithOpts(o, federation)
}
