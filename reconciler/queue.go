package reconciler

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// urgency is what is delivered first where several federations wait for one cluster. Within one delivery apply.Options.First
// does the same for objects.
type urgency int

const (
	forResync urgency = iota // nothing may be to do: the cluster was found again, an interval is over
	forDrift                 // somebody changed what is there
	forChange                // a person changed what is wanted
)

type deliveryQueue = priorityqueue.PriorityQueue[types.NamespacedName]

func newDeliveryQueue() deliveryQueue {
	return priorityqueue.New("", func(o *priorityqueue.Opts[types.NamespacedName]) {
		o.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](firstRetry, lastRetry)
	})
}

// enqueue has a federation delivered because what is wanted changed.
func (b *bulkhead) enqueue(federation types.NamespacedName) { b.enqueueFor(federation, forChange) }

// enqueueFor has a federation delivered. One that waits already becomes more urgent, and not less.
func (b *bulkhead) enqueueFor(federation types.NamespacedName, u urgency) {
	b.queue.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(int(u))}, federation)
}

// retry has a federation delivered again that could not be delivered whole, as urgently as before: after a back-off, and
// not before the API server wants to be asked again.
func (b *bulkhead) retry(federation types.NamespacedName, priority int) {
	o := priorityqueue.AddOpts{Priority: &priority, RateLimited: true}
	if busy := b.Breaker.RetryAfter(); busy > 0 {
		o = priorityqueue.AddOpts{Priority: &priority, After: busy}
	}
	b.queue.AddWithOpts(o, federation)
}
