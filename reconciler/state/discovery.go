package state

import (
	"cmp"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// A hub that lost its data, and a Federation that is declared again, find members with delivered objects and no record of
// them. Such objects count as placed on their member: otherwise a taint, or a kind that the cluster could not list,
// would remove them, and replicas would be divided as if nothing ran. No member knows which term of clusterAffinities
// was used, nor what a Lazy policy waits for: the first term that works is taken, and the policies of Git take effect.

// discovery is what one cluster has of a Federation without a record on the hub.
type discovery struct {
	objects []live.Discovered
	// planned is set once a plan was made, or is being made, with the objects, after the plan since.
	planned bool
	since   *propagate.Plan
}

// needed reports whether a plan has to know the objects; a cluster without any is not asked again.
func (x *discovery) needed() bool { return x != nil && len(x.objects) > 0 }

// Unknown reports whether nothing is known of the Federation: no plan, no record.
func (f *Federation) Unknown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.active.plan == nil && len(f.records.objects) == 0 && len(f.clusters) == 0
}

// Discovered returns what a cluster was found to have; false if it has not been asked.
func (f *Federation) Discovered(cluster string) ([]live.Discovered, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.discovered[cluster]
	if x == nil {
		return nil, false
	}
	return x.objects, true
}

// Discover records what a cluster has, unless it was asked before.
func (f *Federation) Discover(cluster string, objects []live.Discovered) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.discovered[cluster] == nil {
		f.discover(cluster, &discovery{objects: objects})
	}
}

func (f *Federation) discover(cluster string, x *discovery) {
	if f.discovered == nil {
		f.discovered = map[string]*discovery{}
	}
	f.discovered[cluster] = x
}

// AcceptDiscovered accepts what a cluster has into the delivery j. It returns false if the plan of j was made without
// it: then the plan has to be made again.
func (f *Federation) AcceptDiscovered(j Job) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.discovered[j.cluster.name]; x.needed() && (!x.planned || x.since == j.Plan) {
		return false
	}
	j.cluster.recalled = true
	delete(f.discovered, j.cluster.name) // the hub has a record of it from now on
	return true
}

// undiscovered reports whether a cluster has objects that no plan knows.
func (f *Federation) undiscovered() bool {
	for _, x := range f.discovered {
		if x.needed() && !x.planned {
			return true
		}
	}
	return false
}

// withDiscovered adds discovered objects to what was decided. The decisions of an active plan that was made with them
// contain them already.
func (f *Federation) withDiscovered(all []propagate.Previous) []propagate.Previous {
	at := map[manifest.ID]int{}
	for i := range all {
		at[all[i].ID] = i
	}
	for name, x := range f.discovered {
		if x.planned && x.since != f.active.plan {
			continue
		}
		x.planned, x.since = true, f.active.plan
		for _, o := range x.objects {
			i, known := at[o.ID]
			if !known {
				i = len(all)
				at[o.ID], all = i, append(all, propagate.Previous{ID: o.ID})
			}
			all[i].Clusters = placedOn(all[i].Clusters, propagate.PreviousCluster{Name: name, Replicas: o.Replicas, Completions: o.Completions})
		}
	}
	return all
}

// placedOn adds a cluster to others, sorted, unless it is there. The others may belong to a plan and are not changed.
func placedOn(others []propagate.PreviousCluster, c propagate.PreviousCluster) []propagate.PreviousCluster {
	i, there := slices.BinarySearchFunc(others, c, func(a, b propagate.PreviousCluster) int { return cmp.Compare(a.Name, b.Name) })
	if there {
		return others
	}
	return slices.Insert(slices.Clone(others), i, c)
}
