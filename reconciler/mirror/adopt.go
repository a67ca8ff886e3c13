package mirror

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
)

// adoption is the work that follows when the templates of a Federation become the wanted state.
type adoption struct {
	// mine are the entries of the templates.
	mine []*entry
	// steps are the entries that have to be written or removed: first definitions and namespaces, then all others, and
	// removals last. Each step is sorted by ID.
	steps [3][]*entry
	// taken are templates of objects that are mirrored for another Federation, with that Federation.
	taken map[manifest.ID]string
	// namespaces are those in which the Federation does not want an object any more.
	namespaces map[string]bool
}

// adopt makes the templates of a Federation the wanted state, and releases its other objects. An object that two Federations
// want belongs to the first.
func (s *entries) adopt(federation string, templates []Template) adoption {
	s.mu.Lock()
	defer s.mu.Unlock()
	work := adoption{namespaces: map[string]bool{}}
	wanted := map[*entry]bool{}
	for _, t := range templates {
		if Excluded(t.ID) != "" {
			continue
		}
		e := s.byID.at(t.ID)
		if e.record.want != nil && e.record.owner != federation {
			if t.ID.GroupKind() != namespaceKind { // its status is about no cluster
				work.take(t.ID, e.record.owner)
			}
			continue
		}
		wanted[e] = true
		work.mine = append(work.mine, e)
		e.record.adopt(federation, &t)
		if gk := t.ID.GroupKind(); s.kinds[gk].Version == "" {
			s.kinds[gk] = t.GVK
		}
	}
	for e := range wanted {
		work.add(e)
	}
	for _, e := range s.byID {
		r := &e.record
		mine := r.owner == federation || r.want == nil && r.have != nil && r.have.owner == federation
		if mine && !wanted[e] {
			r.release(federation)
			work.add(e)
			if r.have == nil {
				delete(s.byID, e.id)
			}
		}
	}
	for _, step := range work.steps {
		slices.SortFunc(step, func(a, b *entry) int { return a.id.Compare(b.id) })
	}
	return work
}

// take records an object that is mirrored for another Federation.
func (a *adoption) take(id manifest.ID, owner string) {
	if a.taken == nil {
		a.taken = map[manifest.ID]string{}
	}
	a.taken[id] = owner
}

// add adds an entry to the step in which it is written or removed.
func (a *adoption) add(e *entry) {
	removed := e.record.want == nil
	switch {
	case removed && e.id.Namespace != "":
		a.namespaces[e.id.Namespace] = true
	case removed && e.id.GroupKind() == namespaceKind:
		a.namespaces[e.id.Name] = true
	}
	step := 1
	switch {
	case !e.record.isDue():
		return
	case removed:
		step = 2
	case goesFirst(e.id):
		step = 0
	}
	a.steps[step] = append(a.steps[step], e)
}
