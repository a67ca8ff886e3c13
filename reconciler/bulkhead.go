package reconciler

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/propagate/applyset"
)

const (
	// deliveryWorkers of one cluster: a federation that is delivered in bulk does not make another wait.
	deliveryWorkers = 2
	// firstRetry and lastRetry bound the back-off of a delivery that did not succeed.
	firstRetry = 500 * time.Millisecond
	lastRetry  = time.Minute
	// lostGrace is how long a watch may be lost before the cluster counts as not heard from.
	lostGrace = 15 * time.Second
)

// bulkhead is all that works for one cluster: its queue, its workers, its watches, its connection. One that hangs
// costs the others nothing.
type bulkhead struct {
	*clusters.Member
	engine *engine
	queue  deliveryQueue
	stop   context.CancelFunc
	done   sync.WaitGroup
	// facts are what the cluster said of itself; curious has them looked after.
	facts   survey
	curious chan struct{}

	mu      sync.Mutex
	watches map[types.NamespacedName]*watch.Watcher
	silent  string    // why it is not heard from; empty when it is
	last    time.Time // when it answered last
	// silentFor is silent in one word.
	silentFor string
}

// newBulkhead starts working at once.
func newBulkhead(e *engine, m *clusters.Member) *bulkhead {
	ctx, stop := context.WithCancel(context.Background()) // ends in close, which its owner calls
	b := &bulkhead{
		Member: m, engine: e, stop: stop, queue: newDeliveryQueue(),
		watches: map[types.NamespacedName]*watch.Watcher{},
		silent:  notHeardYet, curious: make(chan struct{}, 1),
	}
	b.facts.told = make(chan struct{})
	b.done.Go(func() { b.surveys(ctx) })
	b.done.Go(func() { b.turns(ctx) })
	for range deliveryWorkers {
		b.done.Go(func() { b.work(ctx) })
	}
	return b
}

// close ends what is under way and waits for it.
func (b *bulkhead) close() {
	b.stop()
	b.queue.ShutDown()
	b.done.Wait()
	b.mu.Lock()
	watches := slices.Collect(maps.Values(b.watches))
	b.mu.Unlock()
	for _, w := range watches { // without b.mu, which what a watch waits for may need
		w.Close()
	}
	b.Member.Close()
}

// work delivers what is queued, one federation after the other.
func (b *bulkhead) work(ctx context.Context) {
	for {
		key, priority, shutdown := b.queue.GetWithPriority()
		if shutdown {
			return
		}
		if b.deliver(ctx, key) {
			b.queue.Forget(key)
		} else if ctx.Err() == nil {
			b.retry(key, priority)
		}
		b.queue.Done(key)
	}
}

// watch of a federation on this cluster, made when it is first needed.
func (b *bulkhead) watch(key types.NamespacedName, federation string) *watch.Watcher {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.watches[key]
	if w == nil {
		w = b.NewWatcher(applyset.ID(federation), observer{b, key})
		b.watches[key] = w
	}
	return w
}

// unwatch ends the watch of a federation that is gone.
func (b *bulkhead) unwatch(key types.NamespacedName) {
	b.mu.Lock()
	w := b.watches[key]
	delete(b.watches, key)
	b.mu.Unlock()
	if w != nil {
		w.Close()
	}
}

// heard takes note of an answer to a probe, or of none; it says whether that changed anything. A cluster that answers
// and whose watches are lost is not heard from either, nor is one whose breaker is not closed.
func (b *bulkhead) heard(err error, now time.Time) (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.watches {
		if since, lost := w.Lost(); err == nil && lost != nil && now.Sub(since) > lostGrace {
			err = lost
		}
	}
	if trouble := b.Breaker.Status(); err == nil && trouble.Cause != nil {
		err = trouble.Cause
	}
	why := ""
	if err != nil {
		why = err.Error()
	} else {
		b.last = now
	}
	changed = (why == "") != (b.silent == "")
	if reason := clusters.Reason(err); changed || reason != b.silentFor || b.silent == notHeardYet { // else it is the same, perhaps in other words
		b.silent, b.silentFor = why, reason
	}
	return changed
}

// reach says why the cluster is not heard from, empty when it is, and when it answered last.
func (b *bulkhead) reach() (unreachable string, last time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.silent, b.last
}
