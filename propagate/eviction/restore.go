package eviction

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/previous"
)

// Restore returns the placement before the evictions that were cancelled, so that the object stays where it was: the cluster has the
// replicas of the task again, and clusters that did not have the object are left out. If the replicas are divided, the others share the
// remaining ones in proportion to those that they have. A cancelled eviction counts only while the object is not on its cluster, and fits reports that
// the cluster may have it, with the affinityName of the term. Restore returns before itself if nothing was cancelled.
func (t Tasks) Restore(before *previous.Decision, divided bool, fits func(cluster string) (term string, ok bool)) *previous.Decision {
	if before == nil {
		return nil
	}
	for _, x := range t {
		if !x.Cancelled || before.On()[x.FromCluster] {
			continue
		}
		term, ok := fits(x.FromCluster)
		if !ok {
			continue
		}
		restored := *before
		restored.Term = term
		restored.Clusters = slices.DeleteFunc(slices.Clone(before.Clusters), func(c previous.Cluster) bool {
			return !slices.Contains(x.ClustersBeforeFailover, c.Name)
		})
		if divided && x.Replicas != nil {
			restored.Clusters = share(restored.Clusters, total(before.Clusters)-*x.Replicas, divide.Seed(before.ID))
		}
		restored.Clusters = append(restored.Clusters, previous.Cluster{Name: x.FromCluster, Replicas: x.Replicas})
		slices.SortFunc(restored.Clusters, func(a, b previous.Cluster) int { return cmp.Compare(a.Name, b.Name) })
		before = &restored
	}
	return before
}

func total(clusters []previous.Cluster) (sum int32) {
	for _, c := range clusters {
		if c.Replicas != nil {
			sum += *c.Replicas
		}
	}
	return sum
}

// share returns clusters with fewer replicas, in proportion to those that they have.
func share(clusters []previous.Cluster, replicas int32, seed uint32) []previous.Cluster {
	if replicas < 0 || replicas >= total(clusters) {
		return clusters
	}
	parties := make([]divide.Party, len(clusters))
	for i, c := range clusters {
		parties[i] = divide.Party{Name: c.Name}
		if c.Replicas != nil {
			parties[i].Votes = int64(*c.Replicas)
		}
	}
	for i, n := range divide.Webster(replicas, parties, seed) {
		clusters[i].Replicas = new(n)
	}
	return clusters
}
