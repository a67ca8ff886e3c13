package reconciler

import (
	"context"
	"slices"
	"time"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/breaker"
	"github.com/accord-dev/accord/status"
)

// turns follows the breaker of the cluster until ctx ends. The breaker is fed by every request, so a cluster is lost, and
// found again, when it is and not when it is probed.
func (b *bulkhead) turns(ctx context.Context) {
	last := breaker.Status{State: breaker.Closed}
	for turned := b.Breaker.Changed(); ; {
		select {
		case <-ctx.Done():
			return
		case <-turned:
		}
		turned = b.Breaker.Changed()
		now := b.Breaker.Status()
		b.turn(last, now)
		last = now
	}
}

// turn passes on what became of the breaker.
func (b *bulkhead) turn(last, now breaker.Status) {
	switch {
	case now.State != breaker.Closed:
		b.lose(now.Cause)
	case last.State != breaker.Closed:
		b.engine.heard(b.Name, nil)
	}
	for _, f := range b.engine.all() {
		if b.Breaker.Recovering() {
			b.enqueueFor(f.key, forResync)
		}
		if now.Pause != last.Pause || now.Since != last.Since { // which only the delivery tells
			b.engine.reporter.add(entry{federation: f.key, cluster: b.Name}, releasePace)
		}
	}
}

// lose takes note that the cluster is not heard from, if that is news. While it is not, its probes say why.
func (b *bulkhead) lose(err error) {
	if silent, _ := b.reach(); silent == "" {
		b.engine.heard(b.Name, b.Explain(err))
	}
}

// deliverable says that requests are let through: the cluster is heard from, or on trial.
func (b *bulkhead) deliverable() bool {
	silent, _ := b.reach()
	return silent == "" || b.Breaker.Recovering()
}

// silence is how it is that the cluster is not heard from.
func (e *engine) silence(cluster string) status.Outage {
	b := e.bulkhead(cluster)
	if b == nil {
		return e.silenceElsewhere(cluster)
	}
	trouble := b.Breaker.Status()
	if trouble.Cause == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		return status.Outage{Reason: b.silentFor}
	}
	s := status.Outage{Reason: status.BreakerOpen, Since: trouble.Since, Retry: trouble.Pause}
	// What only a person can mend is not hidden behind what accord does about it.
	if reason := clusters.Reason(trouble.Cause); slices.Contains([]string{clusters.AuthFailed, clusters.TLSFailed}, reason) {
		s.Reason = reason
	}
	return s
}

// broken is why nothing but probes is sent to a cluster that says its version; nil if all is.
func (e *engine) broken(cluster string) error {
	if b := e.bulkhead(cluster); b != nil {
		if trouble := b.Breaker.Status(); trouble.Cause != nil {
			return b.Explain(trouble.Cause)
		}
	}
	return nil
}

// nextProbe is when the cluster is to be probed next.
func (e *engine) nextProbe(cluster string) time.Duration {
	if b := e.bulkhead(cluster); b != nil {
		if trouble := b.Breaker.Status(); trouble.State == breaker.Open {
			return min(max(time.Until(trouble.NextProbe), minProbe), probeInterval)
		}
	}
	return probeInterval
}

// minProbe is the least time between two probes of one cluster.
const minProbe = 100 * time.Millisecond
