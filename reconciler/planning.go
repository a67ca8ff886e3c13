package reconciler

import (
	"context"
	"sync/atomic"
	"time"
)

// planningLimit is how long deliveries wait for a newer plan at most, from when it is begun.
const planningLimit = time.Second

// planning has the deliveries of a federation pause while a newer plan is made: what it changes is more urgent than the rest of
// a bulk, and would find the requests of that before it at every API server.
type planning struct {
	pause atomic.Pointer[planPause] // nil when nothing is planned
}

// planPause is for one plan that is made.
type planPause struct {
	done  chan struct{} // closed when the plan is in force, or is not to be
	until time.Time     // it lasts no longer
}

// begin starts a pause, and returns what ends it.
func (p *planning) begin() (end func()) {
	now := &planPause{make(chan struct{}), time.Now().Add(planningLimit)}
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
