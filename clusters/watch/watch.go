// Package watch follows the objects of a cluster.
package watch

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/discovery"
)

// A Sink is told what is on a cluster. It keeps what it needs of an object, never the object itself: thousands are
// shown to it. Its methods are called from one goroutine per kind, and must not block for long.
type Sink interface {
	// Put shows an object as it is now: new, changed, or the same as before.
	Put(u *unstructured.Unstructured)
	// Delete shows an object that is gone or is not ours any more, as it was last.
	Delete(u *unstructured.Unstructured)
	// Listed says that every object of a kind was put: one of which present has no name does not exist.
	Listed(gvk schema.GroupVersionKind, present map[types.NamespacedName]bool)
	// Lost says that changes of a kind are not heard of since that time; a nil err says that they are again.
	Lost(gvk schema.GroupVersionKind, since time.Time, err error)
}

// Server is the cluster that is watched.
type Server struct {
	Client         rest.Interface
	Kinds          *discovery.Kinds
	Breaker        *breaker.Breaker
	RequestTimeout time.Duration // of a page of a list
}

// A Watch tells a Sink of all objects with one inventory label on one cluster. What goes wrong is tried again, for as long
// as the watch is open, with a back-off that is capped.
type Watcher struct {
	server   Server
	selector string
	sink     Sink

	ctx   context.Context // of every kind that is watched; ended by Close
	stop  context.CancelFunc
	tasks sync.WaitGroup

	mu    sync.Mutex // guards kinds and the state of each
	kinds map[schema.GroupVersionKind]*kindWatcher
}

// New watches what selector selects; no kinds yet: see Set. Close it.
func New(server Server, selector string, sink Sink) *Watcher {
	ctx, stop := context.WithCancel(context.Background()) // lives until Close, not as long as a call
	return &Watcher{
		server: server, selector: selector, sink: sink,
		ctx: ctx, stop: stop, kinds: map[schema.GroupVersionKind]*kindWatcher{},
	}
}

// SetKinds makes kinds those that are watched: new ones are added, and those not in it are ended. It returns at once.
// A kind that the cluster does not serve counts as listed, with nothing in it, and is watched once it is served.
func (w *Watcher) SetKinds(kinds []schema.GroupVersionKind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil {
		return
	}
	wanted := map[schema.GroupVersionKind]bool{}
	for _, gvk := range kinds {
		wanted[gvk] = true
		if w.kinds[gvk] == nil {
			w.kinds[gvk] = w.start(gvk)
		}
	}
	for gvk, k := range w.kinds {
		if !wanted[gvk] {
			k.stop()
			delete(w.kinds, gvk)
		}
	}
}

func (w *Watcher) start(gvk schema.GroupVersionKind) *kindWatcher {
	ctx, stop := context.WithCancel(w.ctx)
	k := &kindWatcher{watcher: w, gvk: gvk, stop: stop, synced: make(chan struct{})}
	w.tasks.Go(func() { k.run(ctx) })
	return k
}

// WaitForSync returns when every kind of the last Set was listed completely once, or with the error of ctx.
func (w *Watcher) WaitForSync(ctx context.Context) error {
	w.mu.Lock()
	var waiting []<-chan struct{}
	for _, k := range w.kinds {
		waiting = append(waiting, k.synced)
	}
	w.mu.Unlock()
	for _, listed := range waiting {
		select {
		case <-listed:
		case <-ctx.Done():
			if _, err := w.Lost(); err != nil {
				return err
			}
			return ctx.Err()
		}
	}
	return nil
}

// HasSynced says whether every kind of the last Set was listed completely once.
func (w *Watcher) HasSynced() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.kinds {
		select {
		case <-k.synced:
		default:
			return false
		}
	}
	return true
}

// Lost is since when and why changes of some kind are not heard of: of the one that was lost first. The error is nil
// when all are heard of.
func (w *Watcher) Lost() (since time.Time, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range w.kinds {
		if k.err != nil && (err == nil || k.since.Before(since)) {
			since, err = k.since, k.err
		}
	}
	return since, err
}

// Close ends the watch. When it returns the sink is not called any more, so the caller may not hold what the sink needs.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.stop()
	w.mu.Unlock()
	w.tasks.Wait()
}
