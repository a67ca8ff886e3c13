package registry

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/bundles"
)

// watcher sends the changes of the selected Bundles. Its goroutine owns known.
type watcher struct {
	store    *bundles.Store
	sub      *bundles.Subscription
	selected selection
	bookmark bool // marks the end of the initial events

	known  map[string]uint64 // revision of each Bundle that the client knows
	events chan watch.Event
	stop   func()
	done   chan struct{}
}

func newWatcher(store *bundles.Store, sub *bundles.Subscription, selected selection) *watcher {
	w := &watcher{store: store, sub: sub, selected: selected, known: map[string]uint64{}, events: make(chan watch.Event), done: make(chan struct{})}
	w.stop = sync.OnceFunc(func() { close(w.done) })
	return w
}

// begin sets the Bundles that the client knows: none, or those at the resourceVersion from which it continues.
func (w *watcher) begin(o *internalversion.ListOptions) error {
	if o == nil {
		return nil
	}
	if o.SendInitialEvents != nil && *o.SendInitialEvents {
		w.bookmark = o.AllowWatchBookmarks
		return nil
	}
	if o.ResourceVersion == "" || o.ResourceVersion == "0" {
		return nil
	}
	since, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
	if err != nil {
		return apierrors.NewBadRequest("resourceVersion: continue with the one of a list or an event")
	}
	all, ok := w.store.SelectSince(w.selected.name, since)
	if !ok {
		return apierrors.NewResourceExpired("another replica had this resourceVersion, or a bundle was removed since: list the bundles again")
	}
	for _, f := range all {
		if f.First <= since {
			w.known[f.Cluster] = min(f.Revision, since)
		}
	}
	return nil
}

// Stop implements watch.Interface.
func (w *watcher) Stop() { w.stop() }

// ResultChan implements watch.Interface.
func (w *watcher) ResultChan() <-chan watch.Event { return w.events }

// run sends events until the client or the server ends the watch.
func (w *watcher) run(ctx context.Context) {
	defer close(w.events)
	defer w.sub.Close()
	revision, ok := w.update(ctx)
	if ok && w.bookmark {
		ok = w.send(ctx, watch.Bookmark, &delivery.Bundle{ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: format(revision), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		}})
	}
	for ok {
		select {
		case <-ctx.Done():
			return
		case <-w.done:
			return
		case <-w.sub.Changed():
			_, ok = w.update(ctx)
		}
	}
}

// update sends the differences between the Bundles and those that the client knows, and returns their revision. It returns false at the end
// of the watch.
func (w *watcher) update(ctx context.Context) (uint64, bool) {
	all, revision := w.store.Select(w.selected.name)
	slices.SortFunc(all, func(a, b bundles.Figures) int { return strings.Compare(a.Cluster, b.Cluster) })
	there := map[string]bool{}
	for _, f := range all {
		if !w.selected.matches(f.Cluster) {
			continue
		}
		there[f.Cluster] = true
		before, was := w.known[f.Cluster]
		if was && before == f.Revision {
			continue
		}
		w.known[f.Cluster] = f.Revision
		change := watch.Added
		if was {
			change = watch.Modified
		}
		if !w.send(ctx, change, bundle(f)) {
			return revision, false
		}
	}
	for cluster := range w.known {
		if there[cluster] {
			continue
		}
		delete(w.known, cluster)
		if !w.send(ctx, watch.Deleted, bundle(bundles.Figures{Cluster: cluster, Revision: revision})) {
			return revision, false
		}
	}
	return revision, true
}

// send returns false at the end of the watch.
func (w *watcher) send(ctx context.Context, change watch.EventType, b *delivery.Bundle) bool {
	b.SetGroupVersionKind(delivery.GroupVersion.WithKind("Bundle"))
	select {
	case w.events <- watch.Event{Type: change, Object: b}:
		return true
	case <-ctx.Done():
	case <-w.done:
	}
	return false
}
