package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/state"
)

// parts are the executed parts of the Federations on the cluster.
type parts struct {
	mu sync.Mutex
	of map[types.NamespacedName]*bundle.Part
}

// get returns the part of a Federation; nil without one.
func (p *parts) get(key types.NamespacedName) *bundle.Part {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of[key]
}

// set replaces the part of a Federation; nil removes it.
func (p *parts) set(key types.NamespacedName, to *bundle.Part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to == nil {
		delete(p.of, key)
		return
	}
	if p.of == nil {
		p.of = map[types.NamespacedName]*bundle.Part{}
	}
	p.of[key] = to
}

func (p *parts) all() []*bundle.Part {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.of))
}

// account returns the account of a Federation on the cluster.
func (p *parts) account(_ context.Context, key types.NamespacedName) (tenancy.Account, error) {
	part := p.get(key)
	if part == nil {
		return tenancy.Account{}, fmt.Errorf("the bundle has no account for Federation %s", key)
	}
	return part.Settings.Account, nil
}

// movable returns the times of the descheduler for a workload of which the hub may move replicas; 0 for others.
func (p *parts) movable(f *state.Federation, id manifest.ID) (threshold, interval time.Duration) {
	part := p.get(f.Key())
	if part == nil || !part.Moves(id) {
		return 0, 0
	}
	return part.Settings.Descheduling.Threshold.Duration, part.Settings.Descheduling.Interval.Duration
}
