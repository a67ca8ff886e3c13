package mirror

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/retryqueue"
)

const (
	// FieldManager writes mirrored objects and their status.
	FieldManager = "accord-mirror"
	// writersPerPublish bounds the concurrent writes of one Publish, retryWorkers those of all retries and repairs.
	writersPerPublish = 8
	retryWorkers      = 2
	// readTimeout bounds the first list of the mirrored objects: a delivery waits for it.
	readTimeout = 5 * time.Second
	// repairDelay is the time before a change of somebody else is reverted; it prevents a tight loop of two writers.
	repairDelay = time.Second
)

// Options configure a Mirror.
type Options struct {
	Log *slog.Logger
	// RequestStatus asks the caller for WriteStatus after the Mirror or somebody else wrote an object. It must not block.
	RequestStatus func(federation string, id manifest.ID)
}

// A Mirror publishes the objects of all Federations on one hub. It watches the objects that it created there, and sends
// nothing while nothing changes. Its methods may be called from any goroutine.
type Mirror struct {
	hub           *clusters.Member
	log           *slog.Logger
	requestStatus func(federation string, id manifest.ID)
	queue         retryqueue.Queue[manifest.ID]
	watch         *watch.Watcher
	entries       *entries

	// opening is locked during the first list of the mirrored objects.
	opening sync.Mutex
	// namespaceWrites serializes the creation and the removal of namespaces.
	namespaceWrites sync.Mutex
}

// setID is the inventory label of mirrored objects (KEP-3659). It differs from that of any Federation: their names have a
// slash.
var setID = applyset.ID(parentName)

// Connect returns a Mirror on the hub of cfg, and sends nothing yet. Run closes the Mirror.
func Connect(cfg *rest.Config, o Options) (*Mirror, error) {
	hub, err := clusters.Connect(cfg, "hub")
	if err != nil {
		return nil, err
	}
	m := &Mirror{
		hub: hub, log: o.Log, requestStatus: o.RequestStatus, queue: retryqueue.New[manifest.ID](retryqueue.FirstRetry, retryqueue.LastRetry),
		entries: newEntries(),
	}
	m.watch = hub.NewWatcher(setID, observer{m})
	return m, nil
}

// Run retries failed writes and reverts changes of others until ctx ends. Then it closes the Mirror.
func (m *Mirror) Run(ctx context.Context) {
	m.queue.Run(ctx, retryWorkers, func(ctx context.Context, id manifest.ID) error { return m.sync(ctx, m.entries.at(id)) }, func(manifest.ID, error) {})
	m.watch.Close()
	m.hub.Close()
}
