package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Event is an event of a watch of several clusters.
type Event struct {
	// Type is Added, Modified, Deleted or Bookmark.
	Type string
	// Object is nil for a bookmark.
	Object *Object
	// Version is the encoded resourceVersion of all clusters: a watch from there has the events that follow.
	Version string
	// Initial is set for the bookmark behind the objects that existed when the watch began.
	Initial bool
}

// Watch watches the objects of one kind on all clusters that have a cache of it. Clusters come and go while it runs.
type Watch struct {
	Set      *Set
	Kind     schema.GroupVersionKind
	Selector Selector
	// Allow returns an error if the reader may not watch a cluster, or its rights are unknown. The cluster is tried again.
	Allow func(ctx context.Context, cluster string) error
	// From has the positions behind which the watch continues. Clusters without a position begin with all their objects.
	From Versions
	// Bookmarks sends positions without a change, Initial a bookmark behind the first objects.
	Bookmarks, Initial bool
}

const (
	// bookmarkTime is the time between two bookmarks.
	bookmarkTime = time.Minute
	// allowRetry is the time after which a cluster is tried again that did not allow the watch.
	allowRetry = 10 * time.Second
)

// step has the next events of a cluster, with its position behind each.
type step struct {
	cache  *Cache
	events []Event // Version is the position of the cluster
	begun  bool    // the objects that existed are sent
	denied bool    // the reader may not watch the cluster now
	ended  bool
	err    error
}

// Run sends events until ctx ends. It returns an error of the class Gone if the watch cannot continue: the reader lists again.
func (w *Watch) Run(ctx context.Context, send func(Event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &watchRun{Watch: w, send: send, steps: make(chan step), legs: map[*Cache]*progress{}, versions: Versions{}}
	maps.Copy(r.versions, w.From)
	tick := time.NewTicker(bookmarkTime)
	defer tick.Stop()
	caches, changed := w.Set.Of(w.Kind)
	if err := r.leftOut(caches); err != nil {
		return err
	}
	r.start(ctx, caches)
	for {
		if err := r.markInitial(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			caches, changed = w.Set.Of(w.Kind)
			r.start(ctx, caches)
		case s := <-r.steps:
			if err := r.take(s); err != nil {
				return err
			}
		case <-tick.C:
			if err := r.bookmark(); err != nil {
				return err
			}
		}
	}
}

// watchRun is the state of a running watch, which one goroutine owns.
type watchRun struct {
	*Watch
	send     func(Event) error
	steps    chan step
	legs     map[*Cache]*progress
	versions Versions
	marked   bool // the bookmark behind the first objects is sent
}

// progress is that of the watch of one cluster.
type progress struct {
	begun  bool // the objects that existed are sent, or need not be
	denied bool
}

// leftOut returns an error if the watch continues in a cluster that has no cache any more: its objects are unknown.
func (r *watchRun) leftOut(caches []*Cache) error {
	known := map[string]bool{}
	for _, c := range caches {
		known[c.Cluster] = true
	}
	for cluster := range r.From {
		if !known[cluster] {
			return apierrors.NewResourceExpired(fmt.Sprintf("cluster %s has left since this resourceVersion: list again", cluster))
		}
	}
	return nil
}

// start begins to watch the clusters that have come.
func (r *watchRun) start(ctx context.Context, caches []*Cache) {
	for _, c := range caches {
		if _, known := r.legs[c]; known {
			continue
		}
		from := r.versions[c.Cluster]
		r.legs[c] = &progress{begun: from != ""}
		go (&leg{cache: c, watch: r.Watch, steps: r.steps}).run(ctx, from)
	}
}

// take sends the events of a cluster.
func (r *watchRun) take(s step) error {
	if s.err != nil {
		return s.err
	}
	cluster := s.cache.Cluster
	for _, e := range s.events {
		if e.Version != "" {
			r.versions[cluster] = e.Version
		}
		if e.Object == nil {
			continue
		}
		e.Version = r.versions.String()
		if err := r.send(e); err != nil {
			return err
		}
	}
	p := r.legs[s.cache]
	joined := s.begun && !p.begun
	p.begun, p.denied = p.begun || s.begun, s.denied
	if s.ended {
		delete(r.legs, s.cache)
		delete(r.versions, cluster)
	}
	if r.marked && (joined || s.ended) {
		return r.bookmark()
	}
	return nil
}

// markInitial sends the bookmark behind the first objects, once all clusters that answer have sent them.
func (r *watchRun) markInitial() error {
	if r.marked {
		return nil
	}
	for c, p := range r.legs {
		if state, _ := c.State(); !p.begun && !p.denied && state.Err == nil {
			return nil
		}
	}
	r.marked = true
	if !r.Initial {
		return nil
	}
	return r.send(Event{Type: Bookmark, Version: r.versions.String(), Initial: true})
}

func (r *watchRun) bookmark() error {
	if !r.Bookmarks || !r.marked {
		return nil
	}
	return r.send(Event{Type: Bookmark, Version: r.versions.String()})
}

// leg watches one cluster.
type leg struct {
	cache *Cache
	watch *Watch
	steps chan<- step
}

// errStopped ends a leg.
var errStopped = errors.New("the watch has ended")

func (l *leg) give(ctx context.Context, s step) error {
	s.cache = l.cache
	select {
	case <-ctx.Done():
		return errStopped
	case l.steps <- s:
		return nil
	}
}

// run sends the events of the cluster behind a position, or begins with its objects.
func (l *leg) run(ctx context.Context, from string) {
	err := l.allowed(ctx)
	if err == nil {
		err = l.follow(ctx, from)
	}
	if err != nil && !errors.Is(err, errStopped) {
		_ = l.give(ctx, step{err: err})
	}
}

// allowed waits until the reader may watch the cluster.
func (l *leg) allowed(ctx context.Context) error {
	for l.watch.Allow(ctx, l.cache.Cluster) != nil {
		if l.cache.ended() {
			return errors.Join(l.give(ctx, step{ended: true}), errStopped)
		}
		if err := l.give(ctx, step{denied: true}); err != nil {
			return err
		}
		sleep(ctx, allowRetry)
	}
	return nil
}

func (l *leg) follow(ctx context.Context, from string) error {
	var next *change
	if from == "" {
		var err error
		if next, from, err = l.begin(ctx); err != nil {
			return err
		}
	}
	for {
		if next == nil {
			if next = l.cache.after(from); next == nil {
				var err error
				if from, err = l.direct(ctx, from); err != nil {
					return err
				}
				continue
			}
		}
		skip := number(from)
		select {
		case <-ctx.Done():
			return errStopped
		case <-next.known:
		}
		if next.ends() {
			return l.end(ctx, next.final)
		}
		if next.revision == 0 || next.revision > skip {
			if err := l.pass(ctx, next); err != nil {
				return err
			}
			from = next.version
		}
		next = next.next
	}
}

// begin sends the objects of the cluster once they are known, the oldest first: a reader that loses the connection among them continues
// behind the last one.
func (l *leg) begin(ctx context.Context) (*change, string, error) {
	for {
		state, changed := l.cache.State()
		if state.Listed || l.cache.ended() {
			break
		}
		select {
		case <-ctx.Done():
			return nil, "", errStopped
		case <-changed:
			if err := l.give(ctx, step{}); err != nil { // the state decides about the bookmark
				return nil, "", err
			}
		}
	}
	objects, version, next := l.cache.snapshot()
	if next == nil {
		return nil, "", errors.Join(l.give(ctx, step{ended: true}), errStopped)
	}
	var selected []*Object
	for _, o := range objects {
		if l.watch.Selector.Matches(o) {
			selected = append(selected, o)
		}
	}
	events := make([]Event, 0, len(selected)+1)
	for _, o := range byRevision(selected) {
		events = append(events, Event{Type: Added, Object: o, Version: o.Version})
	}
	events = append(events, Event{Version: version})
	return next, version, l.give(ctx, step{events: events, begun: true})
}

// pass sends a change of the cache as the selector sees it.
func (l *leg) pass(ctx context.Context, n *change) error {
	if n.object == nil {
		return l.give(ctx, step{events: []Event{{Version: n.version}}})
	}
	now := n.kind != Deleted && l.watch.Selector.Matches(n.object)
	before := n.before != nil && l.watch.Selector.Matches(n.before)
	e := Event{Object: n.object, Version: n.version}
	switch {
	case now && before:
		e.Type = Modified
	case now:
		e.Type = Added
	case before:
		e.Type = Deleted
	default:
		e.Object = nil
	}
	return l.give(ctx, step{events: []Event{e}})
}

// end sends the end of all objects of a cluster that has left.
func (l *leg) end(ctx context.Context, final []*Object) error {
	var events []Event
	for _, o := range final {
		if l.watch.Selector.Matches(o) {
			events = append(events, Event{Type: Deleted, Object: o})
		}
	}
	return l.give(ctx, step{events: events, ended: true})
}

// direct watches the cluster itself, from a position before those that the cache knows, until the cache knows the position reached.
func (l *leg) direct(ctx context.Context, from string) (string, error) {
	query := watchQuery(from)
	if s := l.watch.Selector; s.Labels != nil && !s.Labels.Empty() {
		query.Set("labelSelector", s.Labels.String())
	}
	if s := l.watch.Selector; s.Fields != nil && !s.Fields.Empty() {
		query.Set("fieldSelector", s.Fields.String())
	}
	if l.cache.ended() {
		objects, _, _ := l.cache.snapshot()
		return from, errors.Join(l.end(ctx, objects), errStopped)
	}
	var stopped error
	err := l.cache.watch(ctx, query, func(kind string, o *Object, version string) bool {
		from = version
		e := Event{Version: version}
		if o != nil && l.cache.scope.has(o.Namespace) && (l.watch.Selector.Namespace == "" || o.Namespace == l.watch.Selector.Namespace) {
			e.Type, e.Object = kind, o
		}
		stopped = l.give(ctx, step{events: []Event{e}})
		return stopped == nil && l.cache.after(from) == nil
	})
	var status *apierrors.StatusError
	switch {
	case stopped != nil:
		return from, stopped
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || errors.As(err, &status) && status.ErrStatus.Code == http.StatusGone:
		return from, apierrors.NewResourceExpired(fmt.Sprintf("cluster %s does not know the changes since this resourceVersion any more: list again", l.cache.Cluster))
	case apierrors.IsBadRequest(err):
		return from, err
	case err != nil:
		sleep(ctx, firstRetry)
	}
	if ctx.Err() != nil {
		return from, errStopped
	}
	return from, nil
}
