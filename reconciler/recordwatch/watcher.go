// Package recordwatch restores the records on the hub that somebody else changes or deletes: pipelines read Releases,
// Deliveries and FederatedObjects, and accord reads its Inventories again. It watches their metadata: a resource version that accord neither read nor wrote is
// somebody else's.
package recordwatch

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/retryqueue"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

const (
	// settle is the time between an event and the comparison: the answer to a write of accord may arrive after its event.
	settle = 100 * time.Millisecond
	// firstBackoff and lastBackoff bound the time between two restorations of a record that somebody changes again and again.
	// A record that nobody changed for quiet starts again.
	firstBackoff = time.Second
	lastBackoff  = 5 * time.Minute
	quiet        = 10 * time.Minute
	// maxLabels bounds the Federations whose records share their labels.
	maxLabels = 1000
)

// kinds are the watched records by their resource.
var kinds = map[string]func() changes.Record{
	"releases":         func() changes.Record { return &v1alpha1.Release{} },
	"deliveries":       func() changes.Record { return &v1alpha1.Delivery{} },
	"inventories":      func() changes.Record { return &v1alpha1.Inventory{} },
	"federatedobjects": func() changes.Record { return &v1alpha1.FederatedObject{} },
}

// record identifies a record on the hub.
type record struct {
	resource   string
	key        types.NamespacedName
	federation string
}

// watcher compares records and has them restored.
type watcher struct {
	registry *state.Registry
	reporter *report.Reporter
	log      *slog.Logger
	queue    retryqueue.Queue[record]

	mu       sync.Mutex
	seen     map[record][]uint64 // the versions of the events that are not compared yet; 0 for a deletion
	restored map[record]history
}

// history counts the restorations of a record.
type history struct {
	times int
	last  time.Time
}

// Add has the manager watch the records while it leads.
func Add(mgr manager.Manager, registry *state.Registry, reporter *report.Reporter) error {
	cfg := rest.CopyConfig(mgr.GetConfig())
	client, err := metadata.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("watching the records on the hub: %w", err)
	}
	log := slog.New(logr.ToSlogHandler(mgr.GetLogger()))
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		w := &watcher{
			registry: registry, reporter: reporter, log: log, seen: map[record][]uint64{}, restored: map[record]history{},
			queue: retryqueue.New[record](firstBackoff, lastBackoff),
		}
		w.run(ctx, client)
		return nil
	}))
}

// run watches until ctx ends.
func (w *watcher) run(ctx context.Context, client metadata.Interface) {
	var running sync.WaitGroup
	for resource := range kinds {
		informer := metadatainformer.NewFilteredMetadataInformer(client, v1alpha1.GroupVersion.WithResource(resource), metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
		_ = informer.SetTransform(reducer{}.reduce) // it fails for an informer that was started
		_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { w.enqueue(resource, obj, obj) },
			UpdateFunc: func(old, obj any) { w.enqueue(resource, old, obj) }, // its label may have been removed
			DeleteFunc: func(obj any) { w.enqueue(resource, obj, nil) },
		})
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	w.queue.Run(ctx, 1, w.compare, func(r record, err error) {
		if !apierrors.IsConflict(err) { // the record changed again meanwhile
			w.log.Error("cannot restore a record, trying again", "resource", r.resource, "name", r.key, "error", err)
		}
	})
	running.Wait()
}

// reducer keeps the fields that the comparison reads. The records of one Federation share their labels. It is not safe for
// concurrent use: each informer has its own.
type reducer map[string]map[string]string

// reduce implements cache.TransformFunc.
func (r reducer) reduce(obj any) (any, error) {
	m, ok := obj.(*metav1.PartialObjectMetadata)
	if !ok {
		return obj, nil
	}
	federation := m.Labels[v1alpha1.FederationLabel]
	labels := r[federation]
	if labels == nil {
		if len(r) >= maxLabels {
			clear(r)
		}
		federation = strings.Clone(federation)
		labels = map[string]string{v1alpha1.FederationLabel: federation}
		r[federation] = labels
	}
	m.TypeMeta = metav1.TypeMeta{}
	m.ObjectMeta = metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name, ResourceVersion: m.ResourceVersion, UID: m.UID, Labels: labels}
	return m, nil
}

// enqueue has an event compared; old has the label of the Federation, and obj is nil for a deletion.
func (w *watcher) enqueue(resource string, old, obj any) {
	if unknown, ok := old.(cache.DeletedFinalStateUnknown); ok {
		old = unknown.Obj
	}
	m, ok := old.(*metav1.PartialObjectMetadata)
	if !ok {
		return
	}
	version := uint64(0)
	if now, ok := obj.(*metav1.PartialObjectMetadata); ok {
		version = live.ParseVersion(now.ResourceVersion)
	}
	r := record{resource, types.NamespacedName{Namespace: m.Namespace, Name: m.Name}, m.Labels[v1alpha1.FederationLabel]}
	w.mu.Lock()
	w.seen[r] = append(w.seen[r], version)
	w.mu.Unlock()
	w.queue.AddAfter(r, settle)
}

// takeSeen returns the versions of the events that are not compared yet, and forgets them.
func (w *watcher) takeSeen(r record) []uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	versions := w.seen[r]
	delete(w.seen, r)
	return versions
}

// putBack has versions compared again after the wait.
func (w *watcher) putBack(r record, versions []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[r] = append(versions, w.seen[r]...)
}

// compare restores a record if somebody else wrote or deleted it since the last comparison. It looks at each event: the edit
// of somebody else may stand between two writes of accord, of which the second has kept a part of it.
func (w *watcher) compare(ctx context.Context, r record) error {
	versions := w.takeSeen(r)
	f := w.registry.Federation(types.NamespacedName{Namespace: r.key.Namespace, Name: r.federation})
	if f == nil || w.registry.Follower() {
		return nil
	}
	like := kinds[r.resource]()
	like.SetNamespace(r.key.Namespace)
	like.SetName(r.key.Name)
	writing := w.reporter.IsWriting(like) // an answer that arrives now has noted its version
	foreign := slices.DeleteFunc(versions, func(version uint64) bool {
		known, ok := w.reporter.IsKnown(like, version)
		return !ok || known && version != 0 // without ok, accord has not read the record yet, or has deleted it itself
	})
	if len(foreign) == 0 {
		return nil
	}
	if writing { // a busy hub: the version may be that of the write
		w.putBack(r, foreign)
		w.queue.AddAfter(r, settle)
		return nil
	}
	if wait := w.backoff(r, time.Now()); wait > 0 {
		w.putBack(r, foreign)
		w.queue.AddAfter(r, wait)
		return nil
	}
	err := w.reporter.Restore(ctx, f, like)
	if err != nil {
		w.putBack(r, foreign)
	}
	return err
}

// backoff returns how long a record is not restored because it was restored before; with 0 it counts a restoration.
func (w *watcher) backoff(r record, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	for other, h := range w.restored {
		if now.Sub(h.last) > quiet {
			delete(w.restored, other)
		}
	}
	h := w.restored[r]
	if h.times > 0 {
		if due := h.last.Add(min(firstBackoff<<min(h.times-1, 16), lastBackoff)); now.Before(due) {
			return due.Sub(now)
		}
	}
	w.restored[r] = history{times: h.times + 1, last: now}
	return 0
}
