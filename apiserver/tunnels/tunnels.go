// Package tunnels accepts the tunnels of agents, and knows those that are open in this process.
package tunnels

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/clusters/tunnel"
)

// Set has the open tunnels of one process, at most one for each cluster.
type Set struct {
	mu     sync.Mutex
	open   map[string]opened
	closed bool
}

// opened is a tunnel, with the UID of the Cluster whose agent opened it.
type opened struct {
	*tunnel.Tunnel
	uid types.UID
}

// New returns a Set without tunnels.
func New() *Set { return &Set{open: map[string]opened{}} }

// Of returns the tunnel of a cluster; nil if none is open. A tunnel of an earlier Cluster with the same name is not returned.
func (s *Set) Of(cluster string, uid types.UID) *tunnel.Tunnel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.open[cluster]; o.uid == uid {
		return o.Tunnel
	}
	return nil
}

// add adds a tunnel. It replaces an earlier one of the cluster: an agent that starts again does not wait until the hub misses the
// connection of the one before. A closed Set closes the tunnel.
func (s *Set) add(cluster string, uid types.UID, t *tunnel.Tunnel) {
	s.mu.Lock()
	before := s.open[cluster].Tunnel
	if s.closed {
		before = t
	} else {
		s.open[cluster] = opened{t, uid}
	}
	s.mu.Unlock()
	if before != nil {
		before.Close()
	}
}

// remove closes a tunnel.
func (s *Set) remove(cluster string, t *tunnel.Tunnel) {
	s.mu.Lock()
	if s.open[cluster].Tunnel == t {
		delete(s.open, cluster)
	}
	s.mu.Unlock()
	t.Close()
}

// Close closes all tunnels, and those that are added later: their agents connect to another replica.
func (s *Set) Close() {
	s.mu.Lock()
	open := s.open
	s.open, s.closed = map[string]opened{}, true
	s.mu.Unlock()
	for _, o := range open {
		o.Close()
	}
}
