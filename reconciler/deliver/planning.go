package deliver

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// planningLimit bounds how long deliveries wait for a newer plan, from when planning begins.
const planningLimit = time.Second

// planning pauses the deliveries of a Federation while a newer plan is made: the changes of the plan are more urgent than
// the rest of a bulk, whose requests would be before them at every API server.
type planning struct {
	pause atomic.Pointer[pause] // nil when nothing is planned
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

// begin starts a pause, and returns the function that ends it.
func (p *planning) begin() (end func()) {
	now := &pause{make(chan struct{}), time.Now().Add(planningLimit)}
	p.pause.Store(now)
	return func() {
		p.pause.CompareAndSwap(now, nil)
		close(now.done)
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
