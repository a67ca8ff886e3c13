package reconciler

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// requests is the queue of a controller.
type requests = workqueue.TypedRateLimitingInterface[reconcile.Request]

// waker has a cluster, or a federation, looked at before it is its turn.
type waker struct {
	mu    sync.Mutex
	queue requests
}

// start is the source of a controller: it is told where to put what is to be looked at.
func (w *waker) start(_ context.Context, queue requests) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = queue
	return nil
}

// look has a federation looked at, if the controller started.
func (w *waker) look(federation types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue != nil {
		w.queue.Add(reconcile.Request{NamespacedName: federation})
	}
}

// wake does nothing before the controller started, which then looks at every cluster in any case.
func (w *waker) wake(cluster string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue != nil {
		w.queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: cluster}})
	}
}

// fleetChanged looks at every Federation when a Cluster comes or goes, and at those whose plan can see what changed of one.
func (s *syncer) fleetChanged() handler.EventHandler {
	look := func(queue requests, concerned func(*federation) bool) {
		for _, f := range s.engine.all() {
			if concerned(f) {
				queue.Add(reconcile.Request{NamespacedName: f.key})
			}
		}
	}
	all := func(*federation) bool { return true }
	return handler.Funcs{
		CreateFunc: func(_ context.Context, _ event.CreateEvent, q requests) { look(q, all) },
		DeleteFunc: func(_ context.Context, _ event.DeleteEvent, q requests) { look(q, all) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q requests) {
			look(q, func(f *federation) bool { return f.concerned(e.ObjectOld, e.ObjectNew) })
		},
	}
}

// concerned says whether the plan in force can tell two states of a Cluster apart.
func (f *federation) concerned(before, after client.Object) bool {
	old, isCluster := before.(*v1alpha1.Cluster)
	now, areClusters := after.(*v1alpha1.Cluster)
	if !isCluster || !areClusters {
		return true
	}
	s := f.sight()
	return s.digest(*old) != s.digest(*now)
}
