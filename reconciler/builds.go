package reconciler

import (
	"sync"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render"
)

// builds remembers what the sources of a federation were built to last: a push changes a few files of thousands. The
// zero value remembers nothing.
type builds struct {
	mu       sync.Mutex
	bySource map[string]*render.Cache
}

// build one source of a checkout. A nil b remembers nothing.
func (b *builds) build(c checkout, source int, o render.Options) ([]render.Object, error) {
	if b == nil {
		return render.Build(c.snapshots[source].FS, o)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	name := c.sources[source].Name
	if b.bySource == nil {
		b.bySource = map[string]*render.Cache{}
	}
	if b.bySource[name] == nil {
		b.bySource[name] = &render.Cache{}
	}
	return b.bySource[name].Build(c.snapshots[source].FS, o)
}

// inForce is the plan in force; nil before the first.
func (f *federation) inForce() *propagate.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.plan
}

// inLedger is the plan in force, if the ledger has all of it; nil otherwise.
func (f *federation) inLedger() *propagate.Plan {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.announced {
		return nil
	}
	return f.plan
}
