package state

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// Registry holds the Federations of the process, beside the reachability of the clusters.
type Registry struct {
	*reachability.Tracker

	mu           sync.Mutex
	federations  map[types.NamespacedName]*Federation
	roomRequired bool
}

// NewRegistry returns a registry without Federations.
func NewRegistry(t *reachability.Tracker) *Registry {
	return &Registry{Tracker: t, federations: map[types.NamespacedName]*Federation{}}
}

// Lead makes this replica the leader. It returns the Federations that it followed, which the caller removes: the leader
// starts from the records on the hub, as after a restart. It returns none if the replica led already.
func (r *Registry) Lead(now time.Time) []*Federation {
	if !r.Tracker.Lead(now) {
		return nil
	}
	return r.Federations()
}

// RequireRoom records that a plan of the leader depends on the free resources of the clusters.
func (r *Registry) RequireRoom() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.roomRequired = true
}

// RoomRequired reports whether RequireRoom was called.
func (r *Registry) RoomRequired() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.roomRequired
}

// NeedsRoom reports whether the active plan of any Federation depends on the free resources of the clusters.
func (r *Registry) NeedsRoom() bool {
	return slices.ContainsFunc(r.Federations(), func(f *Federation) bool { return f.View().Room })
}

// Federation returns a Federation; nil if it is unknown.
func (r *Registry) Federation(key types.NamespacedName) *Federation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.federations[key]
}

// Federations returns all Federations, in no order.
func (r *Registry) Federations() []*Federation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.federations))
}

// Add makes a Federation known.
func (r *Registry) Add(f *Federation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.federations[f.key] = f
}

// Remove forgets a Federation and cancels its deliveries. It returns false if the Federation is unknown.
func (r *Registry) Remove(key types.NamespacedName) bool {
	r.mu.Lock()
	f := r.federations[key]
	delete(r.federations, key)
	r.mu.Unlock()
	if f == nil {
		return false
	}
	f.end()
	return true
}
