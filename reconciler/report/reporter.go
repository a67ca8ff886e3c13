package report

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/mirror"
	"github.com/accord-dev/accord/reconciler/retryqueue"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/store"
)

const (
	// workers bounds the concurrent status writes. A hub takes several milliseconds for each, and a bulk has one for each object.
	workers = 8
	// writers bounds the concurrent writes of records.
	writers = 8
)

// Options of a Reporter.
type Options struct {
	Registry *state.Registry
	Store    store.Store
	// Hub writes DeliveryReports; nil where no other replica leads.
	Hub client.Client
	// Gather returns the time for which the updates of one status are gathered; nil: always changes.Gather.
	Gather func() time.Duration
	// Emit emits an event; nil for none.
	Emit func(changes.Event)
	Log  *slog.Logger
}

// Reporter computes and writes statuses.
type Reporter struct {
	registry *state.Registry
	store    store.Store
	hub      client.Client
	gather   func() time.Duration
	emit     func(changes.Event)
	log      *slog.Logger
	queue    retryqueue.Queue[changes.Status]
	// mirror publishes the objects of Federations on the hub; nil without one.
	mirror *mirror.Publisher
	// checkRollouts and replan pass requests to the loops above; they must not block.
	checkRollouts func(changes.RolloutCheck)
	replan        func(federation types.NamespacedName)
	// checkEvictions does the same for the loop of evictions, and assigned reports that the hub has the spec of a Delivery.
	checkEvictions func(federation types.NamespacedName)
	assigned       func(cluster string)

	// decisions is held while a plan is persisted, and exclusively while eviction tasks are written, or a FederatedObject is restored.
	decisions sync.RWMutex
	// creates is held by each create of a FederatedObject, and exclusively while a plan is compared with the hub.
	creates sync.RWMutex

	mu      sync.Mutex
	written map[changes.Status]time.Time   // when each was written last
	locks   map[changes.Status]*sync.Mutex // see lock
	lost    map[changes.Status]bool        // objects whose status is written again
}

// New returns a reporter, which writes nothing before Run is called.
func New(o Options) *Reporter {
	if o.Emit == nil {
		o.Emit = func(changes.Event) {}
	}
	if o.Gather == nil {
		o.Gather = func() time.Duration { return changes.Gather }
	}
	return &Reporter{
		registry: o.Registry, store: o.Store, hub: o.Hub, gather: o.Gather, emit: o.Emit, log: o.Log, queue: retryqueue.New[changes.Status](retryqueue.FirstRetry, retryqueue.LastRetry),
		checkRollouts: func(changes.RolloutCheck) {}, replan: func(types.NamespacedName) {}, checkEvictions: func(types.NamespacedName) {}, assigned: func(string) {},
		written: map[changes.Status]time.Time{}, locks: map[changes.Status]*sync.Mutex{}, lost: map[changes.Status]bool{},
	}
}

// OnRollouts sets the function that decides rollouts again. It must not block.
func (r *Reporter) OnRollouts(check func(changes.RolloutCheck)) { r.checkRollouts = check }

// OnEvictions sets the function that decides evictions again. It must not block.
func (r *Reporter) OnEvictions(check func(federation types.NamespacedName)) { r.checkEvictions = check }

// OnAssigned sets the function that is called when the hub has the new spec of the Delivery to a cluster. It must not block.
func (r *Reporter) OnAssigned(call func(cluster string)) { r.assigned = call }

// OnReplan sets the function that has a Federation planned again. It must not block.
func (r *Reporter) OnReplan(replan func(federation types.NamespacedName)) { r.replan = replan }

// Mirror publishes objects on the hub through m.
func (r *Reporter) Mirror(m *mirror.Publisher) { r.mirror = m }

// QueueLength returns how many statuses wait to be computed.
func (r *Reporter) QueueLength() int { return r.queue.Len() }

// Enqueue gathers the updates of some changes, and emits their events.
func (r *Reporter) Enqueue(c changes.Changes) {
	many := c.Many()
	for _, u := range c.Updates {
		u.OneOfMany = u.OneOfMany || many && u.Object != (manifest.ID{})
		r.update(u)
	}
	for _, e := range c.Events {
		r.emit(e)
	}
	for _, check := range c.Rollouts {
		r.checkRollouts(check)
	}
	for _, federation := range c.Evictions {
		r.checkEvictions(federation)
	}
	for _, federation := range c.Replan {
		r.replan(federation)
	}
}

func (r *Reporter) update(u changes.Update) {
	switch {
	case u.Immediate:
		r.queue.Add(u.Status)
	case u.OneOfMany:
		r.queue.AddLater(u.Status, r.wait(u))
	default:
		r.queue.AddAfter(u.Status, r.wait(u))
	}
}

// wait returns the time until an update may be written.
func (r *Reporter) wait(u changes.Update) time.Duration {
	if u.Delay > 0 {
		return u.Delay
	}
	r.mu.Lock()
	last := r.written[u.Status]
	r.mu.Unlock()
	if last.Before(u.Since) {
		last = u.Since
	}
	return max(u.Interval-time.Since(last), r.gather())
}

// wrote records that a status was written.
func (r *Reporter) wrote(s changes.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[s] = time.Now()
}

// lock serializes the writes of one status: it is held while the status is computed and until the hub acknowledges it, so
// a stale status cannot overwrite a newer one. It returns the function that releases it. The spec and the status of a
// Delivery, and the DeliveryReport beside it, share one lock.
func (r *Reporter) lock(s changes.Status) (unlock func()) {
	r.mu.Lock()
	l := r.locks[s]
	if l == nil {
		l = &sync.Mutex{}
		r.locks[s] = l
	}
	r.mu.Unlock()
	l.Lock()
	return l.Unlock
}

// releaseLock and federationLock identify the locks of the Release and of the Federation.
func releaseLock(f *state.Federation) changes.Status { return changes.Status{Federation: f.Key()} }

func federationLock(f *state.Federation) changes.Status {
	return changes.Status{Federation: f.Key(), Write: true}
}

// supersedeLock identifies the lock of the Releases before the newest one. No object has such an ID.
func supersedeLock(f *state.Federation) changes.Status {
	return changes.Status{Federation: f.Key(), Object: manifest.ID{Kind: "Release"}}
}

func deliveryLock(f *state.Federation, cluster string) changes.Status {
	return changes.Status{Federation: f.Key(), Cluster: cluster}
}

// Forget drops everything about a Federation that was deleted.
func (r *Reporter) Forget(federation types.NamespacedName) {
	r.mu.Lock()
	maps.DeleteFunc(r.written, func(s changes.Status, _ time.Time) bool { return s.Federation == federation })
	maps.DeleteFunc(r.lost, func(s changes.Status, _ bool) bool { return s.Federation == federation })
	maps.DeleteFunc(r.locks, func(s changes.Status, _ *sync.Mutex) bool { return s.Federation == federation })
	r.mu.Unlock()
	r.mirror.Forget(federation)
}

// Run writes until ctx ends.
func (r *Reporter) Run(ctx context.Context) {
	r.queue.Run(ctx, workers, r.write, func(s changes.Status, err error) {
		r.log.Error("cannot write status, trying again", "federation", s.Federation, "object", s.Object, "cluster", s.Cluster, "error", err)
	})
}

// write brings one status up to date.
func (r *Reporter) write(ctx context.Context, s changes.Status) error {
	f := r.registry.Federation(s.Federation)
	if f == nil {
		return nil
	}
	if r.registry.Follower() { // the leader computes status
		if s.Cluster == "" {
			return nil
		}
		return r.publishReport(ctx, f, s.Cluster, false)
	}
	switch {
	case s.Object != manifest.ID{}:
		return r.writeObject(ctx, f, s.Object, true)
	case s.Write:
		return r.WriteDelivery(ctx, f, s.Cluster)
	case s.Cluster != "":
		r.ComputeDelivery(f, s.Cluster)
		r.wrote(s)
		return nil
	}
	return errors.Join(r.WriteRelease(ctx, f), r.Supersede(ctx, f))
}

// WriteRelease writes the status of the newest Release and of its Federation.
func (r *Reporter) WriteRelease(ctx context.Context, f *state.Federation) error {
	return errors.Join(r.writeRelease(ctx, f), r.WriteFederation(ctx, f))
}
