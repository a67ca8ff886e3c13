package state

import (
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/discovered"
)

// Unknown reports whether nothing is known of the Federation: no plan, no record.
func (f *Federation) Unknown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.active.plan == nil && f.records.objects.Len() == 0 && len(f.clusters) == 0
}

// Discovered returns the objects that were discovered on a cluster; false if its inventory was not read.
func (f *Federation) Discovered(cluster string) ([]live.Discovered, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.discovered[cluster]
	if x == nil {
		return nil, false
	}
	return x.List, true
}

// Discover records the objects on a cluster, unless its inventory was read before.
func (f *Federation) Discover(cluster string, objects []live.Discovered) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.discovered[cluster] == nil {
		f.discovered[cluster] = &discovered.Objects{List: objects}
	}
}

// AcceptDiscovered accepts the discovered objects of a cluster into the delivery j. It returns false if the plan of j was made
// without them: then the plan has to be made again.
func (f *Federation) AcceptDiscovered(j delivery.Job) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.discovered[j.State.Name]; x.Any() && !x.KnownTo(j.Plan) {
		return false
	}
	j.State.Recalled = true
	delete(f.discovered, j.State.Name) // the hub has a record of it from now on
	return true
}
