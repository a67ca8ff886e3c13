package cluster

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/clusters/watch"
)

const (
	// rediscover is the interval at which the kinds of "group/*" are looked for, retryDiscovery the pause after an error.
	rediscover     = time.Minute
	retryDiscovery = 2 * time.Second
	// probeInterval is the interval at which an unreachable cluster is probed, within probeTimeout.
	probeInterval = time.Second
	probeTimeout  = 10 * time.Second
)

// discover finds the kinds of the selection and watches them, until the Reader is closed.
func (r *Reader) discover() {
	for {
		scopes, err := r.scopes()
		again := rediscover
		if err != nil {
			again = retryDiscovery
		}
		r.discovered(scopes, err)
		r.touch()
		select {
		case <-r.ctx.Done():
			return
		case <-time.After(again):
		}
	}
}

func (r *Reader) scopes() ([]Scope, error) {
	apis, err := r.member.Kinds.Discover()
	if err != nil {
		return nil, err
	}
	scopes, err := r.Selection.Scopes(apis)
	if err != nil {
		return nil, &selectionError{err}
	}
	return scopes, nil
}

// selectionError is the error of a selection that the cluster, or the Tenant, does not fit.
type selectionError struct{ error }

func (e *selectionError) Unwrap() error { return e.error }

// probe probes the cluster while its breaker rejects requests, until the Reader is closed.
func (r *Reader) probe() {
	ticks := time.NewTicker(probeInterval)
	defer ticks.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-ticks.C:
			if r.member.Breaker.Status().State != breaker.Closed {
				ctx, end := context.WithTimeout(r.ctx, probeTimeout)
				_ = clusters.Ping(ctx, r.member) // its outcome changes the breaker, and the watches report their errors
				end()
			}
		}
	}
}

// discovered begins to watch the kinds that are not watched yet. A kind that the cluster does not serve any more stays watched: it is
// unread, not empty.
func (r *Reader) discovered(scopes []Scope, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if r.kinds == nil { // later, the watches report their own errors
			r.failed = err
		}
		return
	}
	r.failed = nil
	if r.kinds == nil {
		r.kinds, r.watchers = map[watched]*kindState{}, map[watch.Scope]*watch.Watcher{}
	}
	for _, s := range scopes {
		w := r.watchers[s.Scope]
		if w == nil {
			w = r.member.Watch(s.Scope, sink{r, s.Scope})
			r.watchers[s.Scope] = w
		}
		all := w.Kinds()
		for _, kind := range s.Kinds {
			if key := (watched{s.Scope, kind}); r.kinds[key] == nil {
				r.kinds[key] = &kindState{names: map[types.NamespacedName]bool{}}
				all = append(all, kind)
			}
		}
		w.SetKinds(all)
	}
}

// sink receives the objects of one scope.
type sink struct {
	*Reader
	scope watch.Scope
}

// Listing implements watch.ListSink.
func (s sink) Listing(kind schema.GroupVersionKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds[watched{s.scope, kind}].listing = true
}

// Put takes over an object, unless the selection leaves it out.
func (s sink) Put(u *unstructured.Unstructured) {
	f, err := s.Selection.read(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kinds[watched{s.scope, u.GroupVersionKind()}]
	switch name := nameOf(u); {
	case k == nil:
	case err != nil:
		k.lost, k.since = fmt.Errorf("reading %w", err), time.Now()
		s.touch()
	case f == nil:
		s.removeLocked(k, u.GroupVersionKind(), name)
	default:
		k.names[name] = true
		if known := s.known.get(f.path); known != nil && known.hash == f.hash {
			f = known
		}
		if before := s.root.get(f.path); before == nil || before.hash != f.hash {
			s.changeLocked(s.root.with(f))
		}
	}
}

// Delete drops an object.
func (s sink) Delete(u *unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kinds[watched{s.scope, u.GroupVersionKind()}]; k != nil {
		s.removeLocked(k, u.GroupVersionKind(), nameOf(u))
	}
}

// Listed drops the objects of a kind that a complete list does not have.
func (s sink) Listed(kind schema.GroupVersionKind, present map[types.NamespacedName]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kinds[watched{s.scope, kind}]
	for name := range k.names {
		if !present[name] {
			s.removeLocked(k, kind, name)
		}
	}
	k.listed, k.listing = time.Now(), false
	s.touch()
}

// Lost records that a watch is interrupted, or open again.
func (s sink) Lost(kind schema.GroupVersionKind, since time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kinds[watched{s.scope, kind}]
	k.lost, k.since = err, since
	s.touch()
}

func (s sink) removeLocked(k *kindState, kind schema.GroupVersionKind, name types.NamespacedName) {
	if k.names[name] {
		delete(k.names, name)
		s.changeLocked(s.root.without(pathOf(kind.GroupKind(), name)))
	}
}

// changeLocked takes over the next set of files.
func (r *Reader) changeLocked(next *node) {
	r.root, r.window = next, r.window.add(time.Now())
	r.touch()
}
