package status

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// maxRemoved is how many clusters that left are kept, and maxLeftNamed how many objects of each are named.
	maxRemoved      = 20
	maxRemovedObjects = 10
	// maxObjectName bounds the name of one of them, in bytes.
	maxObjectName = 192
)

// RemovedClusters is what stays on clusters that left the fleet, the newest first, and how many more there were. It is a value: its
// methods return another one.
type RemovedClusters struct {
	Clusters []v1alpha1.RemovedCluster
	Omitted  int32
}

// Removal is a cluster that leaves the fleet.
type Removal struct {
	Cluster string
	// Inventory is what the federation has there, as in a Delivery; empty where that is nothing, or is not known any more.
	Inventory []string
	// DeletedAt is when its Cluster was deleted; zero when nobody knows.
	DeletedAt time.Time
	// Reachable and HeardAt say whether it answered when it was asked last, and when it did.
	Reachable bool
	LastProbeTime   *metav1.Time
}

// Add notes that a cluster left; it says whether that is news. What was noted of the same parting before stays, with
// what is known better now: whether the cluster answered. One that had nothing is not noted.
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

// correct has an entry say what the Cluster said last, if that is known.
func (l RemovedClusters) correct(at int, p Removal) RemovedClusters {
	if p.DeletedAt.IsZero() {
		return l
	}
	l.Clusters = slices.Clone(l.Clusters)
	l.Clusters[at].Reachable, l.Clusters[at].LastProbeTime = p.Reachable, p.LastProbeTime
	return l
}

// Without takes out a cluster that joined again.
func (l RemovedClusters) Without(cluster string) RemovedClusters {
	if at := l.index(cluster); at >= 0 {
		l.Clusters = slices.Delete(slices.Clone(l.Clusters), at, at+1)
	}
	return l
}

// Since is what left after a time: what left until then is forgotten.
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

// namesOf are the first entries of an inventory as people write them.
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
