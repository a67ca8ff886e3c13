// Package watch passes the objects of a cluster to a Sink: a list first, then every change.
package watch

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/discovery"
)

// A Sink receives the objects of a cluster. It must copy fields and not keep the objects, because there are
// thousands. fieldsV1 of an entry of managedFields is decoded, or a string with its JSON. The methods are called from one goroutine per kind and must not block for long.
type Sink interface {
	// Put receives an object that is new, changed, or the same as before.
	Put(u *unstructured.Unstructured)
	// Delete receives the last state of an object that was deleted or no longer has the label.
	Delete(u *unstructured.Unstructured)
	// Listed is called when every object of a kind was put: an object whose name is not in present does not exist.
	Listed(gvk schema.GroupVersionKind, present map[types.NamespacedName]bool)
	// Lost is called when the watch of a kind is interrupted, with the time and the error, and again with a nil error
	// when the watch is resumed.
	Lost(gvk schema.GroupVersionKind, since time.Time, err error)
}

// A ListSink is a Sink that learns when a list begins: until Listed it has a part of the objects.
type ListSink interface {
	Sink
	// Listing is called before the first object of a list is put.
	Listing(gvk schema.GroupVersionKind)
}

// Scope selects the objects of a Watcher.
type Scope struct {
	// Labels and Fields are selectors; empty selects every object.
	Labels, Fields string
	// Namespace limits the Watcher to one namespace; empty: all namespaces, and objects without one.
	Namespace string
	// Required makes a kind that the cluster does not serve an interrupted watch. Without it, such a kind has no objects.
	Required bool
}

// Server is the connection to a cluster.
type Server struct {
	Client         rest.Interface
	Kinds          *discovery.Kinds
	Breaker        *breaker.Breaker
	RequestTimeout time.Duration // for one page of a list
}

// A Watcher passes all objects of a scope on one cluster to a Sink. It retries errors with a capped
// back-off until it is closed.
type Watcher struct {
	server Server
	scope  Scope
	sink   Sink

	ctx   context.Context // of every kind; ended by Close
	stop  context.CancelFunc
	tasks sync.WaitGroup

	mu    sync.Mutex // guards kinds and the since and err of each
	kinds map[schema.GroupVersionKind]*kindWatcher
}

// New returns a Watcher of the objects of a scope. It watches nothing until SetKinds is called. The caller must close it.
func New(server Server, scope Scope, sink Sink) *Watcher {
	ctx, stop := context.WithCancel(context.Background()) // lives until Close
	return &Watcher{
		server: server, scope: scope, sink: sink,
		ctx: ctx, stop: stop, kinds: map[schema.GroupVersionKind]*kindWatcher{},
	}
}

// SetKinds replaces the set of watched kinds and returns immediately. A kind that the cluster does not serve is watched as soon as
// the cluster serves it. Until then it counts as listed with no objects, unless the scope requires its kinds.
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

// WaitForSync waits until every kind was listed completely once, or returns the error of ctx or of the interrupted
// watch.
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

// Kinds returns the watched kinds, in no order.
func (w *Watcher) Kinds() []schema.GroupVersionKind {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.kinds))
}

// HasSynced reports whether every kind was listed completely once.
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

// Lost returns when and why a watch was interrupted, for the kind that was interrupted first; the error is nil if
// none is.
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

// Close ends the watch and waits until no method of the sink runs, so the caller must not hold a lock that the sink
// needs.
func (w *Watcher) Close() {
	w.mu.Lock()
	w.stop()
	w.mu.Unlock()
	w.tasks.Wait()
}
