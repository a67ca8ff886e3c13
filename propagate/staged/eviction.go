package staged

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

// MovedRevision returns the revision of the version that a cluster gets, before its turn, of the objects that evictions bring to it:
//   - after a rollback the revision that the rollout returned to;
//   - otherwise the revision that was healthy on the clusters from which the objects come. If they had different ones, it is an older one
//     than the wanted one. A cluster that waits for its turn, too, has an object in the version of the cluster from which an earlier
//     eviction brought it.
//
// It is empty for a cluster that has the wanted version, if evictions bring nothing, and if the revision is not known: the objects then
// wait for their turn. wanted is the revision of the plan.
func MovedRevision(plan *propagate.Plan, rollout string, d stage.Decision, state stage.State, wanted string) string {
	from := sources(plan, rollout, d.Cluster, func(cluster string) bool { return state.Clusters[cluster].Current.Revision == wanted })
	switch {
	case d.Held == "" || len(from) == 0:
		return ""
	case d.RollbackTo != nil:
		return d.RollbackTo.Revision
	}
	revision := wanted
	for _, cluster := range from {
		switch had := state.Clusters[cluster].HealthyVersion().Revision; had {
		case "":
			return ""
		case wanted:
		default:
			revision = had
		}
	}
	return revision
}

// sources returns the clusters whose version a waiting cluster gets of the objects that evictions bring to it, sorted: the cluster
// itself for an object that it had before, otherwise the cluster that the object leaves. updated reports whether a cluster had its turn.
// It returns nil if evictions bring nothing that the rollout stages.
func sources(plan *propagate.Plan, rollout, cluster string, updated func(cluster string) bool) []string {
	var sources []string
	for id, tasks := range plan.Evictions() {
		r := plan.Rollout(cluster, id, nil)
		if r == nil || r.Name() != rollout || !plan.PlacedOn(cluster, id) {
			continue
		}
		if moves(plan, id) {
			sources = append(sources, origins(tasks, cluster, nil, updated)...)
		}
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

// origins returns the clusters whose version of an object a cluster has, or gets, before the last of some evictions; none for now. The
// object is there since the last eviction before which it was not there. If its source had not its turn, the source in turn has the
// version of the cluster from which an earlier eviction brought the object. Times have whole seconds: an eviction of the same second is
// earlier if it brought the object to the source.
func origins(tasks []v1alpha1.GracefulEvictionTask, cluster string, later []v1alpha1.GracefulEvictionTask, updated func(cluster string) bool) []string {
	var last []v1alpha1.GracefulEvictionTask // the evictions that brought the object
	for _, t := range tasks {
		if t.Cancelled || slices.Contains(t.ClustersBeforeFailover, cluster) || slices.ContainsFunc(later, func(l v1alpha1.GracefulEvictionTask) bool {
			return l.FromCluster == t.FromCluster || l.CreationTimestamp.Before(&t.CreationTimestamp)
		}) {
			continue
		}
		if len(last) > 0 && last[0].CreationTimestamp.Before(&t.CreationTimestamp) {
			last = nil
		}
		if len(last) == 0 || last[0].CreationTimestamp.Equal(&t.CreationTimestamp) {
			last = append(last, t)
		}
	}
	if len(last) == 0 || updated(cluster) {
		return []string{cluster}
	}
	if newest := slices.DeleteFunc(slices.Clone(last), func(t v1alpha1.GracefulEvictionTask) bool {
		return slices.ContainsFunc(last, func(l v1alpha1.GracefulEvictionTask) bool {
			return !slices.Contains(t.ClustersBeforeFailover, l.FromCluster)
		})
	}); len(newest) > 0 {
		last = newest
	}
	var all []string
	for _, t := range last {
		all = append(all, origins(tasks, t.FromCluster, append(slices.Clone(later), t), updated)...)
	}
	return all
}

// moves reports whether an eviction changes the clusters of an object: a task that was not cancelled.
func moves(plan *propagate.Plan, id manifest.ID) bool {
	return slices.ContainsFunc(plan.Evictions()[id], func(t v1alpha1.GracefulEvictionTask) bool { return !t.Cancelled })
}

// leaves reports whether an eviction moves an object away from the cluster.
func (p *Plan) leaves(id manifest.ID) bool {
	return p.evicted[id] || !p.whole.PlacedOn(p.cluster, id) &&
		slices.ContainsFunc(p.whole.Evictions()[id], func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == p.cluster && !t.Cancelled })
}

// findMoved finds the objects that the cluster gets before its turn, because evictions bring them: evicted objects and the dependencies
// that the cluster does not have yet.
func (p *Plan) findMoved() {
	held := map[manifest.ID]string{} // by people, policies or an eviction, as the new plan has it
	for _, o := range p.whole.ForCluster(p.cluster).Objects {
		held[o.ID] = o.Held
	}
	for name, turn := range p.assignments {
		if turn.Moved == nil || turn.Held == "" {
			continue
		}
		keeps := map[manifest.ID]bool{}
		if turn.RollbackTo != nil {
			for _, o := range turn.RollbackTo.ForCluster(p.cluster).Objects {
				keeps[o.ID] = true
			}
		}
		for _, o := range turn.Moved.ForCluster(p.cluster).Objects {
			r := turn.Moved.Rollout(p.cluster, o.ID, nil)
			if r == nil || r.Name() != name {
				continue
			}
			own := moves(p.whole, o.ID) && p.whole.PlacedOn(p.cluster, o.ID)
			along := slices.ContainsFunc(turn.Moved.Dependents(o.ID), func(owner manifest.ID) bool {
				return moves(p.whole, owner) && p.whole.PlacedOn(p.cluster, owner)
			})
			if own || along && !keeps[o.ID] {
				if now, planned := held[o.ID]; planned { // else only the older plan has it
					o.Held = now
				}
				p.moved[o.ID] = o
			}
		}
	}
}

// IsMoved reports whether an eviction brings an object to the cluster before its turn.
func (p *Plan) IsMoved(id manifest.ID) bool {
	_, moved := p.moved[id]
	return moved
}
