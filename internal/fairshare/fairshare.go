// Package fairshare divides a resource among groups that do not trust each other: remote addresses, hosts, namespaces.
package fairshare

import (
	"context"
	"sync"
)

// Pool is a number of units that groups share. A group may take units while it then holds no more than is free: a single group gets
// half of the pool, n groups get 1/(n+1) each, and as much stays free for the next one. No group needs a limit of its own. Parts of a
// group share its units by the same rule. Concurrent use is safe.
type Pool struct {
	mu      sync.Mutex
	free    int64
	held    map[holder]int64
	changed chan struct{} // closed when units return
}

// holder is a group, or a part of it.
type holder struct{ group, part string }

// New returns a pool of n units.
func New(n int64) *Pool {
	return &Pool{free: n, held: map[holder]int64{}, changed: make(chan struct{})}
}

// Take takes n units for a group, and in it for some of its parts together. It reports whether the group and all these parts may have
// them. Otherwise it takes nothing.
func (p *Pool) Take(n int64, group string, parts ...string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(n, group, parts)
}

func (p *Pool) take(n int64, group string, parts []string) bool {
	held := p.held[holder{group: group}]
	if n > p.free || held+n > p.free {
		return false
	}
	left := (p.free - held + n) / 2 // the most that the group may take now
	for _, part := range parts {
		if p.held[holder{group, part}]+n > left {
			return false
		}
	}
	p.free -= n
	for _, h := range holders(group, parts) {
		p.held[h] += n
	}
	return true
}

func holders(group string, parts []string) []holder {
	all := []holder{{group: group}}
	for _, part := range parts {
		all = append(all, holder{group, part})
	}
	return all
}

// Wait takes n units as soon as it may. It returns the error of ctx if that ends before.
func (p *Pool) Wait(ctx context.Context, n int64, group string) error {
	for {
		p.mu.Lock()
		taken, changed := p.take(n, group, nil), p.changed
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

// Return gives n units back, which were taken for the same group and parts.
func (p *Pool) Return(n int64, group string, parts ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += n
	for _, h := range holders(group, parts) {
		if p.held[h] -= n; p.held[h] == 0 {
			delete(p.held, h)
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// Holders returns the number of groups and parts that hold units.
func (p *Pool) Holders() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}
