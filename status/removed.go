package status

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// maxRemoved limits the removed clusters that are kept, and maxRemovedObjects the named objects of each.
	maxRemoved        = 20
	maxRemovedObjects = 10
	// maxObjectName bounds the name of one of them, in bytes.
	maxObjectName = 192
)

// RemovedClusters are the clusters that were removed from the fleet with delivered objects left in place, the newest
// first, and the number of omitted ones. It is a value: its methods return another one.
type RemovedClusters struct {
	Clusters []v1alpha1.RemovedCluster
	Omitted  int32
}

// Removal is the removal of a cluster from the fleet.
type Removal struct {
	Cluster string
	// Inventory lists the federation's objects there, as in a Delivery; empty if there are none, or if they are
	// unknown.
	Inventory []string
	// DeletedAt is the time of the deletion of its Cluster; zero if it is unknown.
	DeletedAt time.Time
	// Reachable and LastProbeTime are those of its last probe.
	Reachable     bool
	LastProbeTime *metav1.Time
}

// Add records a removal and reports whether it is new. A recorded one keeps its values, except for the reachability,
// which may be known better now. A cluster without objects is not recorded.
func (l RemovedClusters) Add(p Removal, now time.Time) (next RemovedClusters, news bool) {
	at := l.index(p.Cluster)
	if at >= 0 && (p.DeletedAt.IsZero() || len(p.Inventory) == 0 || !l.Clusters[at].Since.Time.Before(p.DeletedAt)) {
		return l.correct(at, p), false
	}
	if len(p.Inventory) == 0 {
		return l, false
	}
	if p.DeletedAt.IsZero() {
		p.DeletedAt = now
	}
	l = l.Without(p.Cluster)
	l.Clusters = slices.Insert(slices.Clone(l.Clusters), 0, v1alpha1.RemovedCluster{
		Cluster: p.Cluster, Since: stamp(p.DeletedAt), ObjectCount: int32(len(p.Inventory)), Objects: namesOf(p.Inventory, maxRemovedObjects),
		Reachable: p.Reachable, LastProbeTime: p.LastProbeTime,
	})
	if more := len(l.Clusters) - maxRemoved; more > 0 {
		l.Clusters, l.Omitted = l.Clusters[:maxRemoved], l.Omitted+int32(more)
	}
	return l, true
}

// correct updates the reachability of an entry, if the deletion of its Cluster is known.
func (l RemovedClusters) correct(at int, p Removal) RemovedClusters {
	if p.DeletedAt.IsZero() {
		return l
	}
	l.Clusters = slices.Clone(l.Clusters)
	l.Clusters[at].Reachable, l.Clusters[at].LastProbeTime = p.Reachable, p.LastProbeTime
	return l
}

// Without drops a cluster that joined again.
func (l RemovedClusters) Without(cluster string) RemovedClusters {
	if at := l.index(cluster); at >= 0 {
		l.Clusters = slices.Delete(slices.Clone(l.Clusters), at, at+1)
	}
	return l
}

// Since keeps the clusters that were removed after a time.
func (l RemovedClusters) Since(at time.Time) RemovedClusters {
	after := slices.DeleteFunc(slices.Clone(l.Clusters), func(c v1alpha1.RemovedCluster) bool { return !c.Since.After(at) })
	if len(after) == len(l.Clusters) && len(after) > 0 {
		return l
	}
	return RemovedClusters{Clusters: after} // those that are not listed left before any that is
}

func (l RemovedClusters) index(cluster string) int {
	return slices.IndexFunc(l.Clusters, func(c v1alpha1.RemovedCluster) bool { return c.Cluster == cluster })
}

// namesOf returns the first entries of an inventory in readable form.
func namesOf(inventory []string, most int) []string {
	sorted := slices.Sorted(slices.Values(inventory))
	names := sorted[:min(len(sorted), most)]
	for i, entry := range names {
		if id, err := manifest.ParseEntry(entry); err == nil {
			entry = id.String()
		}
		names[i] = shorten(entry, maxObjectName)
	}
	return names
}
