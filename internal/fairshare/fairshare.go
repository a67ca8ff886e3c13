// Package fairshare divides a resource among groups that do not trust each other: remote addresses, hosts, namespaces.
package fairshare

import (
	"context"
	"sync"
)

// Pool is a number of units that groups share. A group may take units while it then holds no more than is free: a single group gets
// half of the pool, n groups get 1/(n+1) each, and as much stays free for the next one. No group needs a limit of its own. Concurrent
// use is safe.
type Pool struct {
	mu      sync.Mutex
	free    int64
	held    map[string]int64
	changed chan struct{} // closed when units return
}

// New returns a pool of n units.
func New(n int64) *Pool {
	return &Pool{free: n, held: map[string]int64{}, changed: make(chan struct{})}
}

// Take takes n units for each of the groups together, and reports whether all groups may have them. Otherwise it takes nothing.
func (p *Pool) Take(n int64, groups ...string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(n, groups)
}

func (p *Pool) take(n int64, groups []string) bool {
	if n > p.free {
		return false
	}
	for _, g := range groups {
		if p.held[g]+n > p.free {
			return false
		}
	}
	p.free -= n
	for _, g := range groups {
		p.held[g] += n
	}
	return true
}

// Wait takes n units as soon as it may. It returns the error of ctx if that ends before.
func (p *Pool) Wait(ctx context.Context, n int64, groups ...string) error {
	for {
		p.mu.Lock()
		taken, changed := p.take(n, groups), p.changed
		p.mu.Unlock()
		if taken {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Return gives n units back, which were taken for the same groups.
func (p *Pool) Return(n int64, groups ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += n
	for _, g := range groups {
		if p.held[g] -= n; p.held[g] == 0 {
			delete(p.held, g)
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// Groups returns the number of groups that hold units.
func (p *Pool) Groups() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}
