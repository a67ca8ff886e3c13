package delivery

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/mutation"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
	"github.com/accord-dev/accord/status"
)

// Circumstances are the values beside the objects that the cells of a cluster depend on.
type Circumstances struct {
	// Unreachable is the reason why the cluster is unreachable; empty if it is reachable.
	Unreachable string
	// Suspended is set while the Federation is suspended.
	Suspended bool
	// MutationFails is set if an object that the cluster changed counts as failed.
	MutationFails bool
	Fingerprints  *fingerprint.Key
}

// counted has the cells of the cluster as they were counted last.
type counted struct {
	cells status.Cells
	under Circumstances
	// uncounted are the Namespaces that are only there for their objects.
	uncounted map[manifest.ID]bool
	// stale are the objects that changed since; all is set if every object may have.
	stale map[manifest.ID]bool
	all   bool
}

// staleShare is the share of the objects, one of so many, from which on all are counted again.
const staleShare = 2

// touch has an object counted and compared again.
func (l *State) touch(id manifest.ID) {
	l.touchDifference(id)
	if l.counted.all {
		return
	}
	if l.counted.stale == nil {
		l.counted.stale = map[manifest.ID]bool{}
	}
	if l.counted.stale[id] = true; len(l.counted.stale) > len(l.Wants)/staleShare {
		l.recount()
	}
}

// recount has all objects counted again.
func (l *State) recount() { l.counted.all, l.counted.stale = true, nil }

// touchAll has all objects counted and compared again.
func (l *State) touchAll() {
	l.recount()
	l.difference.all, l.difference.stale = true, nil
}

// Cells returns the cells of all objects. It looks at those that changed since the last call.
func (l *State) Cells(c Circumstances) *status.Cells {
	k := &l.counted
	if k.under != c {
		l.recount()
	}
	if k.all {
		k.cells.Clear()
		clear(k.uncounted)
		for id, w := range l.Wants.All() {
			l.count(id, w, c)
		}
	}
	for id := range k.stale {
		k.cells.Forget(id)
		delete(k.uncounted, id)
		if w, decided := l.Wants.Get(id); decided {
			l.count(id, w, c)
		}
	}
	k.stale, k.all, k.under = nil, false, c
	k.cells.Total = len(l.Wants) - len(k.uncounted)
	return &k.cells
}

func (l *State) count(id manifest.ID, w wanted.Object, c Circumstances) {
	if !w.Decided().Implied || l.Errors[id] != "" {
		l.counted.cells.Put(l.Cell(id, w, c))
		return
	}
	if l.counted.uncounted == nil {
		l.counted.uncounted = map[manifest.ID]bool{}
	}
	l.counted.uncounted[id] = true
}

// Cell returns the decision and the observation of one object.
func (l *State) Cell(id manifest.ID, w wanted.Object, c Circumstances) status.Cell {
	w = w.Decided()
	x := status.Cell{
		Object: id, Cluster: l.Name, Want: c.Fingerprints.Object(id, w.Digest), Held: w.Held, Error: w.Err, Unreachable: c.Unreachable,
		Mutated: mutation.Describe(l.MutatedIn(id)), MutationFails: c.MutationFails,
	}
	if x.Error == "" {
		x.Error = l.Errors[id]
	}
	if x.Held == "" && c.Suspended {
		x.Held = "the federation is suspended"
	}
	if r, ok := l.Reports.Get(id); ok {
		r.Digest = c.Fingerprints.Object(id, r.Digest)
		x.Report = &r
	}
	return x
}
