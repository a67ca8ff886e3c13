package reconciler

import (
	"context"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// mirrorRetry is how soon a federation that could not be mirrored is tried again.
const mirrorRetry = 30 * time.Second

// forget removes the mirror of a federation that was deleted. m may be nil.
func (m *mirrorer) forget(key types.NamespacedName) {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.again[key] = true
	m.mu.Unlock()
	select {
	case m.news <- struct{}{}:
	default: // it is looked after already
	}
}

// run mends the mirror until ctx ends.
func (m *mirrorer) run(ctx context.Context) {
	var mending sync.WaitGroup
	mending.Go(func() { m.Run(ctx) })
	defer mending.Wait()
	for swept, tick := m.sweep(ctx), time.NewTicker(mirrorRetry); ; swept = swept || m.sweep(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-m.news:
		}
		m.catchUp(ctx)
	}
}

// catchUp publishes again what could not be published, and removes what is left of federations that are gone.
func (m *mirrorer) catchUp(ctx context.Context) {
	m.mu.Lock()
	again := m.again
	m.again = map[types.NamespacedName]bool{}
	m.mu.Unlock()
	for key := range again {
		if f := m.engine.federation(key); f != nil {
			m.engine.publish(ctx, f)
		} else if err := m.Forget(ctx, key.String()); err != nil {
			m.engine.log.Debug("cannot remove what is mirrored", "federation", key, "error", err)
			m.mu.Lock()
			m.again[key] = true
			m.mu.Unlock()
		}
	}
}

// sweep finds federations that were deleted while nobody watched; false asks for another try.
func (m *mirrorer) sweep(ctx context.Context) (done bool) {
	mirrored, err := m.Federations(ctx)
	if apierrors.IsForbidden(err) || err == nil && len(mirrored) == 0 {
		return true // what may not be read was not written either
	}
	var declared map[string]bool
	if err == nil {
		declared, err = m.declared(ctx)
	}
	if err != nil {
		m.engine.log.Debug("cannot look for federations that are gone", "error", err)
		return false
	}
	for _, key := range mirrored {
		if !declared[key] {
			m.forget(keyOf(key))
		}
	}
	return true
}

// keyOf reads "<namespace>/<name>".
func keyOf(federation string) types.NamespacedName {
	namespace, name, _ := strings.Cut(federation, "/")
	return types.NamespacedName{Namespace: namespace, Name: name}
}
