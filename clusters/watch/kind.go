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
)

const (
	// firstWait and lastWait bound the back-off after a list or a watch that failed. Half of it is random, so that a
	// cluster that comes back is not met by all at once.
	firstWait = 200 * time.Millisecond
	lastWait  = 30 * time.Second
	// watchPage is how many objects of a list are in memory at once.
	watchPage = 250
	// briefly is how long a watch lasts at least, if it is to be taken up again at once.
	briefly = time.Second
	// watchEnd is when the API server ends a watch in good order; it is then taken up where it ended.
	watchEnd = 10 * time.Minute
)

// kindWatch lists and watches one kind.
type kindWatch struct {
	watch *Watch
	gvk   schema.GroupVersionKind
	stop  context.CancelFunc
	// listed is closed after the first complete list.
	listed chan struct{}

	version string // resourceVersion up to which all is known; empty: a list is needed
	failed  int    // attempts since the last that worked

	// guarded by watch.mu
	since time.Time
	err   error
}

// run lists and watches until ctx ends.
func (k *kindWatch) run(ctx context.Context) {
	for ctx.Err() == nil {
		news, turned, started := k.watch.server.Kinds.News(), k.watch.server.Breaker.Turned(), time.Now()
		err := k.follow(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && time.Since(started) >= briefly:
			continue
		case err == nil: // a server that ends every watch at once is not asked in a tight loop
		case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
			k.version = "" // not trouble: we were away for too long
			if k.failed == 0 {
				k.failed++
				continue
			}
		case meta.IsNoMatchError(err):
			k.version = ""
			k.complete(map[types.NamespacedName]bool{})
			k.found()
		default:
			k.lost(err)
		}
		k.wait(ctx, news, turned)
	}
}

// follow lists if it has to, and watches until the watch ends; nil if it ended in good order.
func (k *kindWatch) follow(ctx context.Context) error {
	mapping, err := k.watch.server.Kinds.Mapping(k.gvk)
	if err != nil {
		return err
	}
	if k.version == "" {
		if err := k.list(ctx, mapping.Resource); err != nil {
			return k.unserved(err)
		}
	}
	events, err := k.open(ctx, mapping.Resource)
	if err != nil {
		return k.unserved(fmt.Errorf("watching %s: %w", k.gvk.Kind, err))
	}
	defer events.Close()
	k.failed = 0
	k.found()
	return k.events(ctx, events)
}

// unserved makes the 404 of a kind whose definition was removed what it is.
func (k *kindWatch) unserved(err error) error {
	if apierrors.IsNotFound(err) {
		return &meta.NoKindMatchError{GroupKind: k.gvk.GroupKind(), SearchedVersions: []string{k.gvk.Version}}
	}
	return err
}

// list puts all that is there, page by page.
func (k *kindWatch) list(ctx context.Context, resource schema.GroupVersionResource) error {
	present := map[types.NamespacedName]bool{}
	version := ""
	for next := ""; ; {
		page, h, err := k.page(ctx, resource, next)
		if err != nil {
			return fmt.Errorf("listing %s: %w", k.gvk.Kind, err)
		}
		for _, u := range page {
			present[types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}] = true
			k.watch.sink.Put(u)
		}
		version = h.ResourceVersion
		if next = h.Continue; next == "" {
			break
		}
	}
	k.version = version
	k.complete(present)
	return nil
}

// complete is called after a list.
func (k *kindWatch) complete(present map[types.NamespacedName]bool) {
	k.watch.sink.Listed(k.gvk, present)
	select {
	case <-k.listed:
	default:
		close(k.listed)
	}
}

// found and lost keep the time of the change, and tell the sink of it once.
func (k *kindWatch) found() {
	if k.note(nil) {
		k.watch.sink.Lost(k.gvk, time.Time{}, nil)
	}
}

func (k *kindWatch) lost(err error) {
	if k.note(err) {
		k.watch.sink.Lost(k.gvk, k.since, err)
	}
}

// note says whether that is a change.
func (k *kindWatch) note(err error) (changed bool) {
	k.watch.mu.Lock()
	defer k.watch.mu.Unlock()
	changed = (err == nil) != (k.err == nil)
	if changed {
		k.since = time.Now()
	}
	k.err = err
	return changed
}

// wait for the next attempt; news of what the cluster serves, and of whether it works, ends it early.
func (k *kindWatch) wait(ctx context.Context, news, turned <-chan struct{}) {
	pause := min(firstWait<<min(k.failed, 16), lastWait)
	k.failed++
	timer := time.NewTimer(pause/2 + rand.N(pause/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-news:
	case <-turned:
	}
}
