package delivery

import (
	"maps"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Trial has the objects that a plan wants on a cluster, and what is known of the cluster.
type Trial struct {
	Target propagate.ClusterPlan
	// Live has the observed objects; nil if they have to be listed. Difference is that of Live from Target; nil if it has to be
	// computed.
	Live       *live.Objects
	Difference *live.Difference
	Inventory  *live.Inventory
}

// difference has the objects in which the cluster differs from its target, as they were compared last.
type difference struct {
	// due are the objects of the target that are not held and not on the cluster as planned.
	due map[manifest.ID]bool
	// extra are objects on the cluster that the target does not have.
	extra map[manifest.ID]bool
	// stale are the objects that changed since; all is set if every object may have.
	stale map[manifest.ID]bool
	all   bool
	// unsorted is set if the target is not in apply order: then no object of it can be found, and all are compared.
	unsorted bool
}

// compare brings the difference up to date. It looks at the objects that changed since the last call.
func (l *State) compare() *difference {
	d := &l.difference
	if d.all || d.unsorted {
		d.due, d.extra, d.unsorted = map[manifest.ID]bool{}, map[manifest.ID]bool{}, !inOrder(l.Target)
		for _, p := range l.Target.Objects {
			if l.isDue(p) {
				d.due[p.ID] = true
			}
		}
		for id := range l.Live.Except(l.Target) {
			d.extra[id] = true
		}
	} else {
		for id := range d.stale {
			l.compareOne(id)
		}
	}
	d.stale, d.all = nil, false
	return d
}

// touchDifference has an object compared again.
func (l *State) touchDifference(id manifest.ID) {
	d := &l.difference
	if d.all {
		return
	}
	if d.stale == nil {
		d.stale = map[manifest.ID]bool{}
	}
	if d.stale[id] = true; len(d.stale) > len(l.Target.Objects)/staleShare {
		d.all, d.stale = true, nil
	}
}

// sortedShare is the share of the objects up to which it takes less time to find and sort the objects that are due than to look at all.
const sortedShare = 16

func (l *State) isDue(p propagate.Placed) bool { return p.Held == "" && !l.Live.Matches(p) }

// compareOne brings the difference of one object up to date.
func (l *State) compareOne(id manifest.ID) {
	d := &l.difference
	delete(d.extra, id)
	delete(d.due, id)
	if i, planned := position(l.Target, id); planned {
		if l.isDue(l.Target.Objects[i]) {
			d.due[id] = true
		}
		return
	}
	failed := slices.ContainsFunc(l.Target.Failed, func(f propagate.Failure) bool { return f.ID == id })
	if _, there := l.Live.Get(id); there && !failed {
		d.extra[id] = true
	}
}

// Difference returns the objects in which the cluster differs from target; nil if target has other objects than the wanted one.
func (l *State) Difference(target propagate.ClusterPlan) *live.Difference {
	if !sameIDs(l.Target, target) {
		return nil
	}
	d := l.compare()
	x := &live.Difference{Extra: slices.Collect(maps.Keys(d.extra))}
	if !d.unsorted && len(d.due) <= len(target.Objects)/sortedShare && sameList(l.Target.Objects, target.Objects) {
		for id := range d.due {
			i, _ := position(target, id)
			x.Due = append(x.Due, target.Objects[i])
		}
		slices.SortFunc(x.Due, inApplyOrder)
		return x
	}
	for i, p := range target.Objects {
		if was := l.Target.Objects[i]; p == was && len(d.due) > 0 && d.due[p.ID] || p != was && l.isDue(p) {
			x.Due = append(x.Due, p)
		}
	}
	return x
}

// extra iterates over the objects on the cluster that the target does not have.
func (l *State) extra(yield func(manifest.ID, live.Object) bool) {
	for id := range l.compare().extra {
		if seen, there := l.Live.Get(id); there && !yield(id, seen) {
			return
		}
	}
}
