package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Key names a cache.
type Key struct {
	Cluster string
	Kind    schema.GroupVersionKind
}

// Set has the caches that are wanted, one for each kind of each cluster, however many want it. It is safe for concurrent use.
type Set struct {
	dial Dial

	mu      sync.Mutex
	running map[Key]running
	pulses  map[string]*pulse         // of the clusters with a cache
	kinds   []schema.GroupVersionKind // wanted, on any cluster or none
	ready   bool
	changed chan struct{} // closed when caches come or go
	waiting sync.WaitGroup
}

type running struct {
	*Cache
	stop context.CancelFunc
}

// NewSet returns a Set without caches.
func NewSet(dial Dial) *Set {
	return &Set{dial: dial, running: map[Key]running{}, pulses: map[string]*pulse{}, changed: make(chan struct{})}
}

// Want starts the caches that are wanted and not running, and ends those that are not wanted. kinds are those that are wanted, even if
// no cluster has a cache of them. The caches end with ctx.
func (s *Set) Want(ctx context.Context, kinds []schema.GroupVersionKind, wanted map[Key]Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := !s.ready || !slices.Equal(kinds, s.kinds)
	s.kinds, s.ready = kinds, true
	for key, r := range s.running {
		if scope, ok := wanted[key]; !ok || !slices.Equal(scope, r.scope) {
			r.stop()
			r.close()
			delete(s.running, key)
			changed = true
		}
	}
	for key, scope := range wanted {
		if _, ok := s.running[key]; ok {
			continue
		}
		ctx, stop := context.WithCancel(ctx)
		if s.pulses[key.Cluster] == nil {
			s.pulses[key.Cluster] = &pulse{cluster: key.Cluster, dial: s.dial}
		}
		c := newCache(s.pulses[key.Cluster], key.Kind, scope)
		s.running[key] = running{c, stop}
		s.waiting.Go(func() { c.follow(ctx) })
		changed = true
	}
	has := map[string]bool{}
	for key := range wanted {
		has[key.Cluster] = true
	}
	maps.DeleteFunc(s.pulses, func(cluster string, _ *pulse) bool { return !has[cluster] })
	if changed {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// Wait returns when all caches have ended, after the end of the context of Want.
func (s *Set) Wait() { s.waiting.Wait() }

// Kind returns the kind that has a resource, and whether caches of it are wanted. Before the first Want, ready is false.
func (s *Set) Kind(resource schema.GroupVersionResource) (kind schema.GroupVersionKind, wanted, ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, r := range s.running {
		if key.Kind.GroupVersion() == resource.GroupVersion() && r.name() == resource.Resource {
			return key.Kind, true, s.ready
		}
	}
	for _, kind := range s.kinds {
		if kind.GroupVersion() == resource.GroupVersion() && guess(kind) == resource.Resource {
			return kind, true, s.ready
		}
	}
	return schema.GroupVersionKind{}, false, s.ready
}

func (c *Cache) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resource
}

// Of returns the caches of a kind, in the order of their clusters, and a channel that is closed when caches come or go.
func (s *Set) Of(kind schema.GroupVersionKind) ([]*Cache, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*Cache
	for key, r := range s.running {
		if key.Kind == kind {
			found = append(found, r.Cache)
		}
	}
	slices.SortFunc(found, func(a, b *Cache) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return found, s.changed
}

// States returns the state of each cache.
func (s *Set) States() map[Key]State {
	s.mu.Lock()
	all := maps.Clone(s.running)
	s.mu.Unlock()
	states := make(map[Key]State, len(all))
	for key, r := range all {
		states[key], _ = r.State()
	}
	return states
}
