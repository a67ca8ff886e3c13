// Package trigger requests reconciliations before their time.
package trigger

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Trigger adds requests to the queues of controllers. It does nothing for a controller that has not started, which then
// reconciles everything in any case. The zero Trigger is ready to use.
type Trigger struct {
	mu     sync.Mutex
	queues []workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Start implements source.Func of each controller.
func (t *Trigger) Start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queues = append(t.queues, queue)
	return nil
}

// Cluster requests the reconciliation of a Cluster. It does not block.
func (t *Trigger) Cluster(name string) { t.Federation(types.NamespacedName{Name: name}) }

// Federation requests the reconciliation of a Federation. It does not block.
func (t *Trigger) Federation(key types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range t.queues {
		queue.Add(reconcile.Request{NamespacedName: key})
	}
}
