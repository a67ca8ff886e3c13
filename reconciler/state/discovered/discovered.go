// Package discovered holds the objects on clusters that the hub has no record of.
//
// A hub that lost its data, and a Federation that is declared again, find members with delivered objects and no record of
// them. Such objects count as placed on their member: otherwise a taint, or a kind that the cluster could not list,
// would remove them, and replicas would be divided as if nothing ran. No member knows which term of clusterAffinities
// was used, nor the event that a Lazy policy waits for: the first term that works is taken, and the policies of Git take effect.
package discovered

import (
	"cmp"
	"iter"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Objects are those of one cluster.
type Objects struct {
	List []live.Discovered
	// planned is set once a plan was made, or is being made, with the objects, after the plan since.
	planned bool
	since   *propagate.Plan
}

// FromReport returns the objects that a replica reports. It skips entries that it cannot read.
func FromReport(list []v1alpha1.DiscoveredObject) *Objects {
	x := &Objects{}
	for _, o := range list {
		if id, err := manifest.ParseEntry(o.Object); err == nil {
			x.List = append(x.List, live.Discovered{ID: id, Replicas: o.Replicas, Completions: o.Completions})
		}
	}
	return x
}

// Reported returns the objects as a replica reports them; never nil.
func (x *Objects) Reported() []v1alpha1.DiscoveredObject {
	if !x.Any() {
		return []v1alpha1.DiscoveredObject{}
	}
	return live.Reported(x.List)
}

// All iterates over the objects; the value is set for those that stay on the cluster when they are no longer wanted.
func (x *Objects) All() iter.Seq2[manifest.ID, bool] {
	return func(yield func(manifest.ID, bool) bool) {
		if x == nil {
			return
		}
		for _, o := range x.List {
			if !yield(o.ID, o.Stays) {
				return
			}
		}
	}
}

// Any reports whether a plan has to know the objects; a cluster without any is not asked again.
func (x *Objects) Any() bool { return x != nil && len(x.List) > 0 }

// KnownTo reports whether plan was made with the objects.
func (x *Objects) KnownTo(plan *propagate.Plan) bool { return x.planned && x.since != plan }

// ByCluster are the objects of all clusters.
type ByCluster map[string]*Objects

// Of returns the objects on a cluster; false if it was not asked.
func (all ByCluster) Of(cluster string) ([]live.Discovered, bool) {
	x := all[cluster]
	if x == nil {
		return nil, false
	}
	return x.List, true
}

// Add records the objects on a cluster, unless it was asked before.
func (all ByCluster) Add(cluster string, objects []live.Discovered) {
	if all[cluster] == nil {
		all[cluster] = &Objects{List: objects}
	}
}

// Learn records the objects that an agent reports, unless its cluster was asked before. It reports whether a plan has to know them.
func (all ByCluster) Learn(cluster string, reported []v1alpha1.DiscoveredObject) bool {
	if all[cluster] != nil {
		return false
	}
	all[cluster] = FromReport(reported)
	return all[cluster].Any()
}

// Accept returns the entries of the objects on a cluster, sorted, and forgets them: the caller has a record of them from now on. It returns
// false, and keeps them, if plan was made without them.
func (all ByCluster) Accept(cluster string, plan *propagate.Plan) (entries []string, accepted bool) {
	if all[cluster].Any() {
		if entries, accepted = all.Known(cluster, plan); !accepted {
			return nil, false
		}
	}
	delete(all, cluster)
	return entries, true
}

// Settle returns the entries of the objects on a cluster with which plan was made; none for a cluster without objects, which it forgets. It
// returns false for a cluster that was not asked, and for one whose objects plan does not know.
func (all ByCluster) Settle(cluster string, plan *propagate.Plan) (entries []string, settled bool) {
	if x := all[cluster]; x != nil && !x.Any() {
		delete(all, cluster)
		return nil, true
	}
	return all.Known(cluster, plan)
}

// Ingest takes over the objects that the executor of a cluster reports. Once plan was made with them, it returns their entries; until then,
// that the plan has to be made again.
func (all ByCluster) Ingest(cluster string, reported []v1alpha1.DiscoveredObject, plan *propagate.Plan) (entries []string, replan bool) {
	if len(reported) == 0 {
		if x := all[cluster]; x != nil && x.KnownTo(plan) {
			delete(all, cluster) // the hub has a record of it from now on
		}
		return nil, false
	}
	if all[cluster] == nil {
		all[cluster] = FromReport(reported)
	}
	entries, known := all.Known(cluster, plan)
	return entries, !known
}

// Known returns the entries of the objects on a cluster with which plan was made; false if it was made without them.
func (all ByCluster) Known(cluster string, plan *propagate.Plan) (entries []string, known bool) {
	if x := all[cluster]; x != nil && x.KnownTo(plan) {
		return live.Entries(x.List), true
	}
	return nil, false
}

// Unplanned reports whether a cluster has objects that plan was made without. The plan that AddTo was called for may have failed since.
func (all ByCluster) Unplanned(plan *propagate.Plan) bool {
	for _, x := range all {
		if x.Any() && !x.KnownTo(plan) {
			return true
		}
	}
	return false
}

// AddTo adds the objects to decided, and records that the next plan knows them. The decisions of an active plan that was
// made with them contain them already.
func (all ByCluster) AddTo(decided []*previous.Decision, active *propagate.Plan) []*previous.Decision {
	var at map[manifest.ID]int
	for name, x := range all {
		if x.KnownTo(active) {
			continue
		}
		if at == nil {
			decided, at = slices.Clone(decided), indexOf(decided)
		}
		x.planned, x.since = true, active
		for _, o := range x.List {
			i, known := at[o.ID]
			if !known {
				i = len(decided)
				at[o.ID], decided = i, append(decided, &previous.Decision{ID: o.ID})
			}
			more := *decided[i]
			more.Clusters = place(more.Clusters, previous.Cluster{Name: name, Replicas: o.Replicas, Completions: o.Completions})
			decided[i] = &more
		}
	}
	return decided
}

// indexOf returns the index of each object.
func indexOf(decided []*previous.Decision) map[manifest.ID]int {
	at := make(map[manifest.ID]int, len(decided))
	for i, d := range decided {
		at[d.ID] = i
	}
	return at
}

// place adds a cluster to others, sorted, unless it is there. The others may belong to a plan and are not changed.
func place(others []previous.Cluster, c previous.Cluster) []previous.Cluster {
	i, there := slices.BinarySearchFunc(others, c, func(a, b previous.Cluster) int { return cmp.Compare(a.Name, b.Name) })
	if there {
		return others
	}
	return slices.Insert(slices.Clone(others), i, c)
}
