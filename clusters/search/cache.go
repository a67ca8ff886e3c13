package search

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Types of a change.
const (
	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
	Bookmark = "BOOKMARK"
)

// Cache has the objects of one kind of one cluster. It is safe for concurrent use.
type Cache struct {
	// Cluster is the name of the Cluster.
	Cluster string
	kind    schema.GroupVersionKind
	scope   Scope
	pulse   *pulse

	mu         sync.Mutex
	resource   string // plural name of the kind
	namespaced bool
	objects    map[string]*Object
	sorted     []*Object // objects in order; nil after a change
	version    string    // position of the cluster; "" until it was listed
	revision   uint64    // of version
	journal    journal
	state      State
	changed    chan struct{} // closed when state changes
	closed     bool
}

// State is the state of a cache.
type State struct {
	// Listed is set after the first complete list, and Served unless the cluster does not have the kind.
	Listed, Served bool
	// Err is the reason why the cache does not follow the cluster; nil if it does. It began at Since.
	Err   error
	Since time.Time
	// Objects is the number of objects.
	Objects int
}

func newCache(of *pulse, kind schema.GroupVersionKind, scope Scope) *Cache {
	return &Cache{
		Cluster: of.cluster, kind: kind, scope: scope, pulse: of, resource: guess(kind), objects: map[string]*Object{}, journal: newJournal(),
		state: State{Served: true}, changed: make(chan struct{}),
	}
}

// put records an event of the cluster.
func (c *Cache) put(kind string, o *Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.revision = o.Version, o.revision
	if !c.scope.has(o.Namespace) {
		return
	}
	before := c.objects[o.key()]
	if kind == Deleted {
		delete(c.objects, o.key())
		if before == nil {
			before = o
		}
	} else {
		c.objects[o.key()] = o
	}
	c.sorted = nil
	c.journal.add(change{kind: kind, object: o, before: before, version: o.Version, revision: o.revision})
}

// move records a position of the cluster without a change.
func (c *Cache) move(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version == c.version {
		return
	}
	c.version, c.revision = version, number(version)
	c.journal.add(change{kind: Bookmark, version: version, revision: c.revision})
}

// replace records a complete list of the cluster. Watches get the differences.
func (c *Cache) replace(objects map[string]*Object, version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(c.objects)) {
		if old := c.objects[key]; objects[key] == nil {
			c.journal.add(change{kind: Deleted, object: old, before: old, version: c.version})
		}
	}
	for _, o := range byRevision(slices.Collect(maps.Values(objects))) {
		switch before := c.objects[o.key()]; {
		case before == nil:
			c.journal.add(change{kind: Added, object: o, version: o.Version})
		case before.Version != o.Version:
			c.journal.add(change{kind: Modified, object: o, before: before, version: o.Version})
		}
	}
	c.objects, c.sorted, c.version, c.revision = objects, nil, version, number(version)
	c.journal.add(change{kind: Bookmark, version: version})
	c.journal.forget(c.revision)
	c.setState(State{Listed: true, Served: true})
}

// note records whether the cache follows the cluster.
func (c *Cache) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.state
	next.Served, next.Err = true, err
	if c.state.Err == nil || err == nil {
		next.Since = time.Now()
	}
	c.setState(next)
}

// absent records that the cluster does not have the kind.
func (c *Cache) absent() {
	c.replace(map[string]*Object{}, "")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setState(State{Listed: true})
}

// setState changes the state. Its caller holds mu.
func (c *Cache) setState(s State) {
	c.state = s
	close(c.changed)
	c.changed = make(chan struct{})
}

// close ends the cache: the cluster is left, or no ResourceRegistry names the kind any more.
func (c *Cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.journal.add(change{kind: Deleted, final: c.ordered()})
	}
}

func (c *Cache) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// State returns the state, and a channel that is closed when it changes.
func (c *Cache) State() (State, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	s.Objects = len(c.objects)
	return s, c.changed
}

// snapshot returns the objects in order with the position of the cluster, and the next change, nil if there will be none.
func (c *Cache) snapshot() ([]*Object, string, *change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.ordered(), c.version, nil
	}
	return c.ordered(), c.version, c.journal.newest
}

// ordered returns the objects in order. Its caller holds mu, and nobody changes the result.
func (c *Cache) ordered() []*Object {
	if c.sorted == nil {
		c.sorted = slices.SortedFunc(maps.Values(c.objects), func(a, b *Object) int {
			if a.Namespace != b.Namespace {
				return strings.Compare(a.Namespace, b.Namespace)
			}
			return strings.Compare(a.Name, b.Name)
		})
	}
	return c.sorted
}

// after returns the first change behind a position of the cluster; nil if the cache does not know all changes behind it.
func (c *Cache) after(version string) *change {
	c.mu.Lock()
	defer c.mu.Unlock()
	revision := number(version)
	if revision == 0 || c.version == "" {
		return nil
	}
	return c.journal.after(revision)
}

// get returns an object; nil if there is none.
func (c *Cache) get(namespace, name string) *Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[namespace+"/"+name]
}

// reached reports whether the cache has a position of the cluster.
func (c *Cache) reached(version string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision >= number(version)
}

// byRevision sorts objects by the time of their last change.
func byRevision(objects []*Object) []*Object {
	slices.SortFunc(objects, func(a, b *Object) int {
		if a.revision != b.revision {
			if a.revision < b.revision {
				return -1
			}
			return 1
		}
		return strings.Compare(a.key(), b.key())
	})
	return objects
}

func number(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64) // another form has no order
	return n
}
