package mirror

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/propagate/applyset"
)

const (
	// FieldManager writes mirrored objects and their status.
	FieldManager = "accord-mirror"
	// writers bounds the concurrent writes of one Publish, and menders those of what has to be written again.
	writers = 8
	menders = 2
	// readTimeout bounds the first list of the mirrored objects: a delivery waits for it.
	readTimeout = 5 * time.Second
	// pause before what somebody else changed is put back, so that nobody is fought with in a tight loop.
	pause = time.Second
	// firstRetry and lastRetry bound the back-off of what could not be written.
	firstRetry = 500 * time.Millisecond
	lastRetry  = time.Minute
)

// Options of a Mirror.
type Options struct {
	Log *slog.Logger
	// Retell asks for the status of an object that was written to, by the Mirror or by somebody else. It may not block.
	Retell func(federation string, id manifest.ID)
}

// A Mirror publishes the objects of all federations on one hub. It has one watch of what it wrote there, and sends nothing
// while nothing changes. Its methods may be called from any goroutine.
type Mirror struct {
	hub   *clusters.Member
	log   *slog.Logger
	tell  func(federation string, id manifest.ID)
	queue workqueue.TypedRateLimitingInterface[manifest.ID]
	watch *watch.Watcher

	opening sync.Mutex // held while what is there is read for the first time
	space   sync.Mutex // held while a namespace is made or removed

	mu      sync.Mutex // guards all below
	opened  bool
	entries map[manifest.ID]*entry
	kinds   map[schema.GroupKind]schema.GroupVersionKind
	// parent: the record of the kinds exists; recorded is what this process wrote into it.
	parent   bool
	recorded string
}

// setID is the inventory label of what is mirrored (KEP-3659). No federation's can be equal: their names have a slash.
var setID = applyset.ID(parentName)

// Connect makes a Mirror on the hub that cfg leads to; nothing is sent yet. Close it.
func Connect(cfg *rest.Config, o Options) (*Mirror, error) {
	hub, err := clusters.Connect(cfg, "hub")
	if err != nil {
		return nil, err
	}
	limit := workqueue.NewTypedItemExponentialFailureRateLimiter[manifest.ID](firstRetry, lastRetry)
	m := &Mirror{
		hub: hub, log: o.Log, tell: o.Retell, queue: workqueue.NewTypedRateLimitingQueue(limit),
		entries: map[manifest.ID]*entry{}, kinds: map[schema.GroupKind]schema.GroupVersionKind{},
	}
	m.watch = hub.NewWatcher(setID, observer{m})
	return m, nil
}

// Run mends what could not be written at once, and what others changed, until ctx ends.
func (m *Mirror) Run(ctx context.Context) {
	var working sync.WaitGroup
	for range menders {
		working.Go(func() { m.work(ctx) })
	}
	<-ctx.Done()
	m.queue.ShutDown()
	working.Wait()
	m.watch.Close()
	m.hub.Close()
}

func (m *Mirror) work(ctx context.Context) {
	for {
		id, shutdown := m.queue.Get()
		if shutdown {
			return
		}
		if m.settle(ctx, m.entry(id)) {
			m.queue.Forget(id)
		} else if ctx.Err() == nil {
			m.queue.AddRateLimited(id)
		}
		m.queue.Done(id)
	}
}

// entry of an object, made when it is first asked for.
func (m *Mirror) entry(id manifest.ID) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at(id)
}

// at is entry for a caller that holds m.mu.
func (m *Mirror) at(id manifest.ID) *entry {
	e := m.entries[id]
	if e == nil {
		e = &entry{id: id}
		m.entries[id] = e
	}
	return e
}
