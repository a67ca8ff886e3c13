package state

import (
	"slices"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// A cluster that is removed from the fleet keeps its objects. Its Inventories list them and go with it; before that, the
// status of each Federation takes over the list.

// Part cancels the delivery to a cluster that is removed, and returns the objects that the cluster keeps. Its Cluster is in c, which
// is nil if it is gone.
func (f *Federation) Part(cluster string, c *v1alpha1.Cluster) status.Removal {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := status.Removal{Cluster: cluster}
	if l := f.clusters[cluster]; l != nil {
		l.Cancel() // the cluster gets no further object
		p = l.Removal()
	}
	if c != nil {
		p.DeletedAt, p.LastProbeTime = c.DeletionTimestamp.Time, c.Status.LastProbeTime
		p.Reachable = meta.IsStatusConditionTrue(c.Status.Conditions, fluxmeta.ReadyCondition)
	}
	return p
}

// Partings returns the objects on clusters that the active plan does not cover any more, until the Deliveries of these clusters are
// deleted.
func (f *Federation) Partings() []status.Removal {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []status.Removal
	for _, l := range f.records.removed {
		all = append(all, l.Removal())
	}
	return all
}

// Returned reports whether the status lists a cluster as removed, and whether the cluster is back: its Delivery lists its
// objects again.
func (f *Federation) Returned(cluster string) (removed, back bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	removed = slices.ContainsFunc(f.declared.object.Status.RemovedClusters, func(c v1alpha1.RemovedCluster) bool { return c.Cluster == cluster })
	return removed, l != nil && (l.Run.Finished || l.Delivery.Status.InventoryCount > 0)
}
