package watch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters/list"
)

const (
	// minBackoff and maxBackoff bound the back-off after a failed list or watch. Half of it is random, so that a
	// cluster that recovers does not get all requests at once.
	minBackoff = 200 * time.Millisecond
	maxBackoff = 30 * time.Second
	// pageSize bounds how many objects of a list are in memory at once.
	pageSize = 250
	// minDuration is the shortest duration of a watch that may be resumed without back-off.
	minDuration = time.Second
	// serverTimeout is the shortest time after which the API server ends a watch, which is then resumed.
	serverTimeout = 10 * time.Minute
)

// kindWatcher lists and watches one kind.
type kindWatcher struct {
	watcher *Watcher
	gvk     schema.GroupVersionKind
	stop    context.CancelFunc
	// synced is closed after the first complete list.
	synced chan struct{}

	resourceVersion string // everything up to it was seen; empty: list first
	failures        int    // attempts since the last success

	// guarded by watcher.mu
	since time.Time
	err   error
}

// run lists and watches until ctx ends.
func (k *kindWatcher) run(ctx context.Context) {
	for ctx.Err() == nil {
		discovered, breakerChanged, started := k.watcher.server.Kinds.Changed(), k.watcher.server.Breaker.Changed(), time.Now()
		err := k.listAndWatch(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && time.Since(started) >= minDuration:
			continue
		case err == nil: // a server that ends every watch at once must not cause a tight loop
		case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
			k.resourceVersion = "" // not an error: the watch was interrupted for too long
			if k.failures == 0 {
				k.failures++
				continue
			}
		case meta.IsNoMatchError(err) && k.watcher.scope.Required:
			k.resourceVersion = ""
			k.lost(err)
		case meta.IsNoMatchError(err):
			k.resourceVersion = ""
			k.complete(map[types.NamespacedName]bool{})
			k.recovered()
		default:
			k.lost(err)
		}
		k.wait(ctx, discovered, breakerChanged)
	}
}

// listAndWatch lists if necessary and watches until the watch ends; it returns nil if the watch ended normally.
func (k *kindWatcher) listAndWatch(ctx context.Context) error {
	mapping, err := k.watcher.server.Kinds.Mapping(k.gvk)
	if err != nil {
		return err
	}
	if k.resourceVersion == "" {
		if err := k.list(ctx, mapping.Resource); err != nil {
			return k.noMatchFor404(err)
		}
	}
	events, err := k.open(ctx, mapping.Resource)
	if err != nil {
		return k.noMatchFor404(fmt.Errorf("watching %s: %w", k.gvk.Kind, err))
	}
	defer events.Close()
	k.failures = 0
	k.recovered()
	return k.events(ctx, events)
}

// noMatchFor404 turns the 404 of a kind whose CRD was deleted into meta.NoKindMatchError.
func (k *kindWatcher) noMatchFor404(err error) error {
	if apierrors.IsNotFound(err) {
		return &meta.NoKindMatchError{GroupKind: k.gvk.GroupKind(), SearchedVersions: []string{k.gvk.Version}}
	}
	return err
}

// list puts all objects, page by page.
func (k *kindWatcher) list(ctx context.Context, resource schema.GroupVersionResource) error {
	present := map[types.NamespacedName]bool{}
	version := ""
	var pages list.Pages
	if sink, is := k.watcher.sink.(ListSink); is {
		sink.Listing(k.gvk)
	}
	for next := ""; ; {
		if err := pages.Next(); err != nil {
			return fmt.Errorf("listing %s: %w", k.gvk.Kind, err)
		}
		page, err := k.page(ctx, resource, next)
		if err != nil {
			return fmt.Errorf("listing %s: %w", k.gvk.Kind, err)
		}
		for _, text := range page.objects {
			u, err := page.decode(text)
			if err != nil {
				return fmt.Errorf("listing %s: %w", k.gvk.Kind, err)
			}
			present[types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}] = true
			k.watcher.sink.Put(u)
		}
		version = page.ResourceVersion
		if next = page.Continue; next == "" {
			break
		}
	}
	k.resourceVersion = version
	k.complete(present)
	return nil
}

// complete reports a finished list to the sink.
func (k *kindWatcher) complete(present map[types.NamespacedName]bool) {
	k.watcher.sink.Listed(k.gvk, present)
	select {
	case <-k.synced:
	default:
		close(k.synced)
	}
}

// recovered and lost record when the state changed, and notify the sink once per change.
func (k *kindWatcher) recovered() {
	if k.note(nil) {
		k.watcher.sink.Lost(k.gvk, time.Time{}, nil)
	}
}

func (k *kindWatcher) lost(err error) {
	if k.note(err) {
		k.watcher.sink.Lost(k.gvk, k.since, err)
	}
}

// note records err and reports whether the watch was lost or recovered by it.
func (k *kindWatcher) note(err error) (changed bool) {
	k.watcher.mu.Lock()
	defer k.watcher.mu.Unlock()
	changed = (err == nil) != (k.err == nil)
	if changed {
		k.since = time.Now()
	}
	k.err = err
	return changed
}

// wait sleeps until the next attempt. A new discovery result or a change of the breaker ends the sleep early.
func (k *kindWatcher) wait(ctx context.Context, discovered, breakerChanged <-chan struct{}) {
	pause := min(minBackoff<<min(k.failures, 16), maxBackoff)
	k.failures++
	timer := time.NewTimer(pause/2 + rand.N(pause/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-discovered:
	case <-breakerChanged:
	}
}
