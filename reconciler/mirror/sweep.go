package mirror

import (
	"context"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// publishRetry is the interval of retries of failed publications.
const publishRetry = 30 * time.Second

// Forget removes the mirror of a Federation that was deleted.
func (p *Publisher) Forget(key types.NamespacedName) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.again[key] = true
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // a wake-up is pending
	}
}

// Run repairs the mirror until ctx ends.
func (p *Publisher) Run(ctx context.Context) {
	var repairing sync.WaitGroup
	repairing.Go(func() { p.Mirror.Run(ctx) })
	defer repairing.Wait()
	tick := time.NewTicker(publishRetry)
	defer tick.Stop()
	for swept := p.sweep(ctx); ; swept = swept || p.sweep(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.wake:
		}
		p.catchUp(ctx)
	}
}

// catchUp retries failed publications, and removes the mirrored objects of deleted Federations.
func (p *Publisher) catchUp(ctx context.Context) {
	p.mu.Lock()
	again := p.again
	p.again = map[types.NamespacedName]bool{}
	p.mu.Unlock()
	for key := range again {
		if f := p.registry.Federation(key); f != nil {
			p.Publish(ctx, f)
		} else if err := p.Mirror.Forget(ctx, key.String()); err != nil {
			p.log.Debug("cannot remove mirrored objects", "federation", key, "error", err)
			p.mu.Lock()
			p.again[key] = true
			p.mu.Unlock()
		}
	}
}

// sweep finds Federations that were deleted while accord did not run. It returns false to be called again.
func (p *Publisher) sweep(ctx context.Context) (done bool) {
	mirrored, err := p.Federations(ctx)
	if apierrors.IsForbidden(err) || err == nil && len(mirrored) == 0 {
		return true // accord did not write objects that it may not read
	}
	var declared map[string]bool
	if err == nil {
		declared, err = p.declared(ctx)
	}
	if err != nil {
		p.log.Debug("cannot list the deleted Federations", "error", err)
		return false
	}
	for _, key := range mirrored {
		if !declared[key] {
			p.Forget(keyOf(key))
		}
	}
	return true
}

// keyOf parses "<namespace>/<name>".
func keyOf(federation string) types.NamespacedName {
	namespace, name, _ := strings.Cut(federation, "/")
	return types.NamespacedName{Namespace: namespace, Name: name}
}
