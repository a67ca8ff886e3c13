package state

import (
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/delivery"
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
	return f.discovered.Of(cluster)
}

// Discover records the objects on a cluster, unless its inventory was read before.
func (f *Federation) Discover(cluster string, objects []live.Discovered) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.discovered.Add(cluster, objects)
}

// Unplanned reports whether a cluster has discovered objects that the newest plan was made without.
func (f *Federation) Unplanned() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unplanned()
}

// unplanned is Unplanned without the lock. A revision that cannot be planned has no plan that could know the objects: the next one will.
func (f *Federation) unplanned() bool {
	newest := f.active.plan
	if f.newest.pending != nil {
		newest = f.newest.pending.Plan
	}
	return newest != nil && f.newest.invalid == nil && f.discovered.Unplanned(newest)
}

// Unrecorded reports whether a cluster of another process has to be asked which objects of the Federation it has: the hub has no record of
// the cluster, and its executor gets nothing of the Federation, which would ask it.
func (f *Federation) Unrecorded(cluster string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.discovered[cluster] == nil && f.clusters[cluster].Unasked()
}

// Learn records the objects that the agent of a cluster was asked for. It reports whether the plan has to be made again: it was made without
// them.
func (f *Federation) Learn(cluster string, reported []v1alpha1.DiscoveredObject) (replan bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clusters[cluster].Unasked() && f.discovered.Learn(cluster, reported) && f.active.plan != nil
}

// AcceptDiscovered makes the discovered objects of a cluster its inventory, which the delivery j, or the next one if j fails, brings up to
// date. It returns false if the plan of j was made without them: then the plan has to be made again.
func (f *Federation) AcceptDiscovered(j delivery.Job) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, accepted := f.discovered.Accept(j.State.Name, j.Plan)
	if accepted {
		j.State.Recalled = true
		j.State.InheritInventory(entries)
	}
	return accepted
}
