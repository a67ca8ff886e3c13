package deliver

import (
	"context"

	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// followBreaker passes changes of the cluster's breaker on until ctx ends. Every request feeds the breaker, so a cluster
// counts as lost, and as found again, without waiting for a probe.
func (w *Worker) followBreaker(ctx context.Context) {
	last := breaker.Status{State: breaker.Closed}
	for changed := w.member.Breaker.Changed(); ; {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		changed = w.member.Breaker.Changed()
		now := w.Breaker()
		w.breakerChanged(last, now)
		last = now
	}
}

func (w *Worker) breakerChanged(last, now breaker.Status) {
	w.publish()
	switch {
	case now.State != breaker.Closed:
		w.lose(now.Cause)
	case last.State != breaker.Closed:
		w.pool.Probed(w.Name(), nil)
	}
	for _, f := range w.pool.registry.Federations() {
		if w.member.Breaker.Recovering() {
			w.enqueue(f.Key(), changes.Resync, 0)
		}
		if now.Pause != last.Pause || now.Since != last.Since {
			w.pool.Enqueue(f.BreakerChanged(w.Name()))
		}
	}
}

// lose records that the cluster is unreachable. If it is already, the reason of its probes stays.
func (w *Worker) lose(err error) {
	if w.reachable() {
		w.pool.Probed(w.Name(), w.member.Explain(err))
	}
}

// admitsRequests reports whether requests reach the cluster: it is identified, and reachable or its breaker lets single
// requests through.
func (w *Worker) admitsRequests() bool {
	return w.Identified() && (w.reachable() || w.member.Breaker.Recovering())
}

// BreakerError returns why only probes are sent to a cluster that answers them; nil if all requests are.
func (w *Worker) BreakerError() error {
	if trouble := w.Breaker(); trouble.Cause != nil {
		return w.member.Explain(trouble.Cause)
	}
	return nil
}
