package deliver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// planningLimit bounds how long deliveries wait for a newer plan, from when planning begins.
const planningLimit = time.Second

// planning pauses the deliveries of a Federation while a newer plan is made: the changes of the plan are more urgent than
// the rest of a bulk, whose requests would be before them at every API server.
//
// Plans can follow one another without an end, as those of a live cluster do. After a pause, deliveries have at least as much time before
// the next one: otherwise the objects that change would wait for all plans.
type planning struct {
	pause atomic.Pointer[pause] // nil when nothing is planned

	mu   sync.Mutex
	next time.Time // no pause begins before
}

// pause lasts until one plan is made.
type pause struct {
	done  chan struct{} // closed when the plan is active, or will not be
	until time.Time     // the pause lasts no longer
}

// Planning pauses the deliveries of a Federation. It returns the function that ends the pause.
func (p *Pool) Planning(federation types.NamespacedName) (end func()) {
	return p.planning(federation).begin()
}

// planning returns the planning of a Federation.
func (p *Pool) planning(federation types.NamespacedName) *planning {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plannings[federation] == nil {
		p.plannings[federation] = &planning{}
	}
	return p.plannings[federation]
}

// begin starts a pause if one is due, and returns the function that ends it.
func (p *planning) begin() (end func()) {
	begun := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if begun.Before(p.next) {
		return func() {}
	}
	now := &pause{make(chan struct{}), begun.Add(planningLimit)}
	p.pause.Store(now)
	return func() {
		p.pause.CompareAndSwap(now, nil)
		close(now.done)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.next = time.Now().Add(min(time.Since(begun), planningLimit))
	}
}

// yield returns when the pause is over, if there is one.
func (p *planning) yield(ctx context.Context) {
	now := p.pause.Load()
	if now == nil || !time.Now().Before(now.until) {
		return
	}
	limit := time.NewTimer(time.Until(now.until))
	defer limit.Stop()
	select {
	case <-now.done:
	case <-limit.C:
	case <-ctx.Done():
	}
}
