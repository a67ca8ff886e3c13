package reconciler

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
)

const (
	// clusterLeft is the reason of the event that says what stays on a cluster that is not in the fleet any more.
	clusterLeft = "ClusterLeft"
	// namedLeft is how many objects that event names.
	namedLeft = 10
)

// tellLeft tells people what stays on clusters that left the fleet, before their Deliveries are deleted. Nothing is deleted
// on the clusters, whether or not they answer, so a Cluster needs no finalizer: its removal waits for nobody.
func (e *engine) tellLeft(f *federation) {
	f.mu.Lock()
	about, left := f.declaration.DeepCopy(), slices.Clone(f.left)
	f.mu.Unlock()
	for _, d := range left {
		if n := len(d.Status.Inventory); n > 0 {
			e.event(about, warning, clusterLeft, fmt.Sprintf("cluster %s left the fleet; what was delivered there stays, with accord's marks: %d objects: %s",
				d.Spec.Cluster, n, listed(readable(d.Status.Inventory), namedLeft)))
		}
	}
}

// readable are entries of an inventory as people write them.
func readable(inventory []string) []string {
	names := slices.Clone(inventory)
	for i, entry := range names {
		if id, err := manifest.ParseEntry(entry); err == nil {
			names[i] = id.String()
		}
	}
	return names
}
