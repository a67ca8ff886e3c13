package mirror

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
)

// entries has the state of all objects of the mirror. Its methods take the lock, and return copies and the follow-up of a
// change; no method sends a request.
type entries struct {
	mu sync.Mutex
	// opened: the objects that an earlier process left are known.
	opened bool
	byID   index
	// kinds of all objects; a kind without a version stands for any version that is served.
	kinds map[schema.GroupKind]schema.GroupVersionKind
	// parent: the hub has the record of the kinds. recorded is the list that this process wrote into it.
	parent   bool
	recorded string
}

// index finds the entry of an object.
type index map[manifest.ID]*entry

// at returns the entry of an object, and creates it if there is none.
func (x index) at(id manifest.ID) *entry {
	e := x[id]
	if e == nil {
		e = &entry{id: id}
		x[id] = e
	}
	return e
}

// reaction is the follow-up of a change on the hub.
type reaction struct {
	// write: the object has to be written.
	write bool
	// requestStatus: the status of the object has to be written again, by its owner.
	requestStatus bool
	owner         string
}

func newEntries() *entries {
	return &entries{byID: index{}, kinds: map[schema.GroupKind]schema.GroupVersionKind{}}
}

func (s *entries) isOpened() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

func (s *entries) setOpened() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = true
}

// get returns the entry of an object; nil if there is none.
func (s *entries) get(id manifest.ID) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// at returns the entry of an object, and creates it if there is none.
func (s *entries) at(id manifest.ID) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID.at(id)
}

// read returns a copy of the record of an entry.
func (s *entries) read(e *entry) record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.record
}

// change applies a transition to the record of an entry.
func (s *entries) change(e *entry, transition func(*record)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	transition(&e.record)
}

// observe records an object as a watch shows it.
func (s *entries) observe(id manifest.ID, shown *observed) reaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID.at(id).record.shown(shown, s.opened)
}

// remove records that an object is gone, or lost the label of the mirror. It reports whether the object has to be created
// again.
func (s *entries) remove(id manifest.ID, uid types.UID) (create bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[id]
	if e == nil || e.record.have == nil || e.record.have.uid != uid && !e.record.have.deleting {
		return false
	}
	return s.byID.lose(e)
}

// list records the objects of a kind that the hub has, and returns the missing ones that have to be created again.
func (s *entries) list(gk schema.GroupKind, present map[types.NamespacedName]bool) (create []manifest.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, e := range maps.Clone(s.byID) {
		here := types.NamespacedName{Namespace: id.Namespace, Name: id.Name}
		if id.GroupKind() == gk && e.record.have != nil && !present[here] && s.byID.lose(e) {
			create = append(create, id)
		}
	}
	return create
}

// lose records that the object of an entry is gone, and drops the entry if nobody wants it. It reports whether the object has
// to be created again.
func (x index) lose(e *entry) (create bool) {
	e.record.have, e.record.sent = nil, nil
	if e.record.want == nil {
		delete(x, e.id)
	}
	return e.record.want != nil
}

// count returns the figures of a Federation with all templates, of which the mirror adopted mine.
func (s *entries) count(mine []*entry, all int) Figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := Figures{Skipped: all - len(mine)}
	for _, e := range mine {
		switch {
		case e.record.have != nil && !e.record.isDue():
			f.Published++
		case e.record.unserved:
			f.Unserved++
		case e.record.foreign:
			f.Skipped++
		default:
			f.Failed++
		}
	}
	return f
}

// owners returns the Federations with objects on the hub, sorted.
func (s *entries) owners() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, e := range s.byID {
		if e.record.have != nil && e.record.have.owner != "" {
			all = append(all, e.record.have.owner)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isUnused reports whether the mirror has a namespace on the hub that no Federation wants, with no object in it.
func (s *entries) isUnused(namespace string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[manifest.ID{Kind: namespaceKind.Kind, Name: namespace}]
	unused := e != nil && e.record.have != nil && e.record.want == nil
	for id, other := range s.byID {
		used := other.record.want != nil || other.record.have != nil && !other.record.have.deleting
		unused = unused && (id.Namespace != namespace || !used)
	}
	return unused
}

// defines reports whether a wanted CustomResourceDefinition belongs to an API group.
func (s *entries) defines(group string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, e := range s.byID {
		if e.record.want != nil && id.GroupKind() == manifest.DefinitionKind && strings.HasSuffix(id.Name, "."+group) {
			return true
		}
	}
	return false
}
