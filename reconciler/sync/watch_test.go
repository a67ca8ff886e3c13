package sync

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// A fleet that grows by many clusters causes a few plans, not one for each cluster.
func TestChangesOfALargeFleetAreGathered(t *testing.T) {
	registry := state.NewRegistry(reachability.NewTracker())
	registry.Add(state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "shop"}}, registry, nil))
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	plans := make(chan int)
	go func() {
		n := 0
		for {
			r, shutdown := queue.Get()
			if shutdown {
				plans <- n
				return
			}
			n++
			queue.Done(r)
		}
	}()
	changed := (&Controller{Planner: &Planner{registry: registry}}).fleetChanged()
	const clusters = 300
	for range clusters {
		changed.Create(t.Context(), event.CreateEvent{}, queue)
		time.Sleep(time.Millisecond)
	}
	queue.ShutDown()
	n := <-plans
	require.Less(t, n, clusters/10)
	require.Positive(t, n, "the first one is not delayed for long")
}
