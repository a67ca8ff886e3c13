package cluster

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/source"
)

// Options of a Reader.
type Options struct {
	// Name of the cluster in texts.
	Name string
	// Member is the connection to the cluster, which the Reader closes. It sends get, list and watch only.
	Member    *clusters.Member
	Selection Selection
	// Changed is called after a new snapshot, and when the cluster becomes unread or readable again. It must not block for long.
	Changed func()
}

// Reader keeps the newest snapshot of a cluster. It owns the state of its watches, behind one lock.
type Reader struct {
	Options
	ctx   context.Context
	stop  context.CancelFunc
	tasks sync.WaitGroup
	wake  chan struct{} // has a value when there may be something to publish

	mu       sync.Mutex
	watchers map[watch.Scope]*watch.Watcher
	kinds    map[watched]*kindState // nil until discovery answered
	failed   error                  // of discovery
	root     *node
	window   window
	latest   source.Snapshot // without FS before the first
	tree     *node           // of latest
	past     history
	unread   bool          // at the last call of Changed
	updated  chan struct{} // closed and replaced when latest or an error changed
}

// watched is one kind of one scope.
type watched struct {
	scope watch.Scope
	kind  schema.GroupVersionKind
}

// kindState is the state of one watch.
type kindState struct {
	listed bool // completely, once
	// listing is set while a list is incomplete: it has some changes and not others.
	listing bool
	lost    error // nil while the watch is open
	since   time.Time
	names   map[types.NamespacedName]bool // of the files
}

// Open begins to read a cluster. The caller must close the Reader.
func Open(o Options) *Reader {
	r := &Reader{Options: o, wake: make(chan struct{}, 1), updated: make(chan struct{})}
	r.ctx, r.stop = context.WithCancel(context.Background()) // lives until Close
	r.tasks.Go(r.run)
	r.tasks.Go(r.discover)
	r.tasks.Go(r.probe)
	return r
}

// Close ends all watches.
func (r *Reader) Close() {
	r.stop()
	r.tasks.Wait()
	r.mu.Lock()
	watchers := r.watchers
	r.mu.Unlock()
	for _, w := range watchers {
		w.Close()
	}
	r.Member.Close()
}

// Snapshot returns the newest snapshot. It waits for the first one until ctx ends. While the cluster cannot be read, it returns an
// error with the time of the last snapshot.
func (r *Reader) Snapshot(ctx context.Context) (source.Snapshot, error) {
	for {
		r.mu.Lock()
		err, latest, updated := r.unreadLocked(), r.latest, r.updated
		r.mu.Unlock()
		switch {
		case err != nil:
			return source.Snapshot{}, err
		case latest.FS != nil:
			return latest, nil
		}
		select {
		case <-updated:
		case <-ctx.Done():
			return source.Snapshot{}, fmt.Errorf("%w: cluster %s: its objects are not completely read yet", source.ErrUnreachable, r.Name)
		}
	}
}

// Latest returns the newest snapshot, also while the cluster cannot be read; without FS before the first one.
func (r *Reader) Latest() source.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest
}

// At returns an earlier snapshot; false if it is not kept any more.
func (r *Reader) At(revision string) (source.Snapshot, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.past.at(revision)
}

// Keep keeps earlier snapshots with these revisions, beside the newest ones.
func (r *Reader) Keep(revisions map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.past.keep(revisions)
}

// unreadLocked returns why the cluster cannot be read now; nil if it can, or if the first list has not ended.
func (r *Reader) unreadLocked() error {
	err, since := r.failed, time.Time{}
	for _, k := range r.kinds {
		if k.lost != nil && (err == nil || k.since.Before(since)) {
			err, since = k.lost, k.since
		}
	}
	if err == nil {
		if most := int64(source.DefaultMaxTreeSize); r.root != nil && r.root.size > most {
			return fmt.Errorf("%w: cluster %s: the selected objects have more than %d MiB: select fewer with namespaces, kinds or labelSelector", source.ErrTooLarge, r.Name, most>>20)
		}
		return nil
	}
	if wrong, is := errors.AsType[*selectionError](err); is {
		return fmt.Errorf("cluster %s: %w", r.Name, wrong)
	}
	kind := source.ErrUnreachable
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		kind = source.ErrAuth
	}
	text := fmt.Sprintf("cluster %s: %s", r.Name, phrase.Line(err.Error()))
	if !since.IsZero() {
		text += fmt.Sprintf(" (unread since %s; the objects that were read before stay)", since.UTC().Format(time.RFC3339))
	}
	return fmt.Errorf("%w: %s", kind, text)
}

// touch has the next snapshot published when it is due.
func (r *Reader) touch() {
	select {
	case r.wake <- struct{}{}:
	default: // it is known already
	}
}

// run publishes snapshots.
func (r *Reader) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-r.wake:
		case <-timer.C:
		}
		wait, changed := r.publish(time.Now())
		if changed {
			r.Changed()
		}
		if wait > 0 {
			timer.Reset(wait)
		}
	}
}

// publish makes the next snapshot if it is due, and otherwise returns the time until then. It reports whether there is a new snapshot
// or another state of the watches.
func (r *Reader) publish(now time.Time) (wait time.Duration, changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	unread := r.unreadLocked() != nil
	changed, r.unread = unread != r.unread, unread
	defer func() {
		if changed {
			close(r.updated)
			r.updated = make(chan struct{})
		}
	}()
	if unread || !r.wholeLocked() || r.latest.FS != nil && r.window.changes == 0 {
		return 0, changed
	}
	if wait = r.window.due().Sub(now); wait > 0 && r.latest.FS != nil {
		return wait, changed
	}
	began := r.window.first
	r.window = window{}
	if r.latest.FS != nil && r.tree.digest() == r.root.digest() {
		return 0, changed // the changes cancelled each other out
	}
	next := snapshotOf(r.Name, r.root)
	if r.latest.FS != nil {
		next.Time = began.UTC()
	}
	r.tree, r.latest = r.root, next
	r.past.add(r.latest)
	changed = true
	return 0, changed
}

// wholeLocked reports whether every kind was listed, and no list is incomplete.
func (r *Reader) wholeLocked() bool {
	for _, k := range r.kinds {
		if !k.listed || k.listing {
			return false
		}
	}
	return r.kinds != nil
}

// commitDigits is the number of digits of a snapshot in place of those of a commit: a label value has room for 63.
const commitDigits = 40

// snapshotOf returns a snapshot without a time: the first list does not show when the objects changed.
func snapshotOf(name string, root *node) source.Snapshot {
	digest := root.digest()
	digits := hex.EncodeToString(digest[:])
	return source.Snapshot{
		Revision: source.ClusterRevision(digits), Commit: digits[:commitDigits], Tree: digits,
		Subject: "live objects of cluster " + name, FS: newTree(root),
	}
}
