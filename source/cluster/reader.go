package cluster

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/watch"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/source"
)

// Options of a Reader.
type Options struct {
	// Name of the cluster in texts.
	Name string
	// Config is the way to the cluster. The Reader sends GET requests only, with the rights of User if it is not empty.
	Config *rest.Config
	User   string
	// Selection selects the objects. Selected identifies everything that decides which objects the Reader may see, for History.
	Selection Selection
	Selected  string
	// History gets each snapshot before anybody else does.
	History *History
	// Changed is called after a new snapshot, and when the cluster becomes unread or readable again. It must not block for long.
	Changed func()
	// Unsaved is called if the file of the History does not have a snapshot.
	Unsaved func(error)
}

// Reader keeps the newest snapshot of a cluster. It owns the state of its watches, behind one lock.
type Reader struct {
	Options
	member *clusters.Member
	ctx    context.Context
	stop   context.CancelFunc
	tasks  sync.WaitGroup
	wake   chan struct{} // has a value when there may be something to publish

	mu       sync.Mutex
	watchers map[watch.Scope]*watch.Watcher
	kinds    map[watched]*kindState // nil until discovery answered
	failed   error                  // of discovery
	root     *node
	known    *node // the files of the process before, until the first snapshot: equal files are in memory once
	window   window
	latest   source.Snapshot // without FS before the first
	unread   bool            // at the last call of Changed
	updated  chan struct{}   // closed and replaced when latest or an error changed
}

// watched is one kind of one scope.
type watched struct {
	scope watch.Scope
	kind  schema.GroupVersionKind
}

// kindState is the state of one watch.
type kindState struct {
	listed time.Time // when the last complete list ended; zero before the first
	// listing is set while a list is incomplete: it has some changes and not others.
	listing bool
	lost    error // nil while the watch is open
	since   time.Time
	names   map[types.NamespacedName]bool // of the files
}

// Open begins to read a cluster. The caller must close the Reader.
func Open(o Options) (*Reader, error) {
	r := &Reader{Options: o, wake: make(chan struct{}, 1), updated: make(chan struct{})}
	r.ctx, r.stop = context.WithCancel(context.Background()) // lives until Close
	if last, _, found := o.History.Last(o.Selected); found {
		r.known = last.FS.(tree).root
	}
	cfg := rest.CopyConfig(o.Config)
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { return ReadOnly(ending{r.ctx, next}) })
	member, err := clusters.Connect(cfg, o.Name)
	if err == nil {
		r.member, err = member.As(o.User)
	}
	if err != nil {
		r.stop()
		return nil, err
	}
	r.tasks.Go(r.run)
	r.tasks.Go(r.discover)
	r.tasks.Go(r.probe)
	return r, nil
}

// Close ends all watches, and the requests in progress.
func (r *Reader) Close() {
	r.stop()
	r.tasks.Wait()
	r.mu.Lock()
	watchers := r.watchers
	r.mu.Unlock()
	for _, w := range watchers {
		w.Close()
	}
	r.member.Close()
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
			return source.Snapshot{}, fmt.Errorf("%w: cluster %s: its objects are not completely read yet%s", source.ErrUnreachable, r.Name, r.since(time.Time{}))
		}
	}
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
	return fmt.Errorf("%w: cluster %s: %s%s", kind, r.Name, phrase.Line(err.Error()), r.since(since))
}

// since describes since when the cluster is unread: since an error, or since the last snapshot was confirmed, if that is earlier.
func (r *Reader) since(failed time.Time) string {
	if _, seen, found := r.History.Last(r.Selected); found && (failed.IsZero() || seen.Before(failed)) {
		failed = seen
	}
	if failed.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (unread since %s; the objects that were read before stay)", failed.UTC().Format(time.RFC3339))
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
	timer, confirm := time.NewTimer(0), time.NewTicker(confirmInterval)
	defer timer.Stop()
	defer confirm.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-confirm.C:
			r.confirm()
			continue
		case <-r.wake:
		case <-timer.C:
		}
		next, wait, changed := r.due(time.Now())
		if next.FS != nil {
			r.publish(next)
		}
		if changed {
			r.Changed()
		}
		if wait > 0 {
			timer.Reset(wait)
		}
	}
}

// due returns the next snapshot if it is due, and otherwise the time until then. It reports whether there is one, or another state of
// the watches.
func (r *Reader) due(now time.Time) (next source.Snapshot, wait time.Duration, changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	unread := r.unreadLocked() != nil
	if changed, r.unread = unread != r.unread, unread; changed {
		r.updatedLocked()
	}
	first := r.latest.FS == nil
	if unread || !r.wholeLocked() || !first && r.window.changes == 0 {
		return next, 0, changed
	}
	if wait = r.window.due().Sub(now); wait > 0 && !first {
		return next, wait, changed
	}
	began := r.window.first
	r.window = window{}
	if next = snapshotOf(r.Name, r.root); next.Revision == r.latest.Revision {
		return source.Snapshot{}, 0, changed // the changes cancelled each other out
	}
	if !first {
		next.Time = began.UTC()
	}
	return next, 0, true
}

// publish makes a snapshot the newest. Only run calls it.
func (r *Reader) publish(next source.Snapshot) {
	if last, _, found := r.History.Last(r.Selected); found && last.Revision == next.Revision {
		next = last
		r.History.confirm()
	} else if err := r.History.add(past{next, r.Selected}); err != nil {
		r.Unsaved(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest, r.known = next, nil
	r.updatedLocked()
}

func (r *Reader) updatedLocked() {
	close(r.updated)
	r.updated = make(chan struct{})
}

// confirmInterval is the interval at which the History learns that the cluster has the last snapshot: a restart then knows since when
// the cluster is unread.
const confirmInterval = 10 * time.Second

func (r *Reader) confirm() {
	r.mu.Lock()
	current := r.latest.FS != nil && r.unreadLocked() == nil && r.wholeLocked() && r.window.changes == 0
	r.mu.Unlock()
	if current {
		r.History.confirm()
	}
}

// wholeLocked reports whether every kind was listed, and no list is incomplete.
func (r *Reader) wholeLocked() bool {
	for _, k := range r.kinds {
		if k.listed.IsZero() || k.listing {
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
