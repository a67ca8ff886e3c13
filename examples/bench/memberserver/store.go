package memberserver

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// history is the least number of changes that the store keeps. A watch or a page of a list that continues from an older
// version fails as expired.
const history = 256

// store is the objects of one server, and their last changes.
type store struct {
	host *Host

	mu      sync.RWMutex
	version uint64
	shelves map[resource]map[types.NamespacedName]*record
	past    []change // in the order of their versions
	changed chan struct{}
}

// change of one object. before is nil when it was created; after it was deleted, now is as it was last, with the version of
// its deletion.
type change struct {
	resource    resource
	before, now *record
	gone        bool
}

func newStore(h *Host) *store {
	return &store{host: h, shelves: map[resource]map[types.NamespacedName]*record{}, changed: make(chan struct{})}
}

// get is nil for what is not there.
func (s *store) get(r resource, name types.NamespacedName) *record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.shelves[r][name]
}

// keep makes a change visible. The caller holds s.mu.
func (s *store) keep(c change) {
	shelf := s.shelves[c.resource]
	if shelf == nil {
		shelf = map[types.NamespacedName]*record{}
		s.shelves[c.resource] = shelf
	}
	objects := s.host.counts.objects.WithLabelValues(c.now.Namespace, c.resource.Resource)
	switch {
	case c.gone:
		delete(shelf, c.now.NamespacedName)
		objects.Dec()
	case c.before == nil:
		objects.Inc()
		fallthrough
	default:
		shelf[c.now.NamespacedName] = c.now
	}
	s.host.counts.written.Set(float64(time.Now().UnixMicro()) / 1e6)
	s.version = c.now.version
	if s.past = append(s.past, c); len(s.past) >= 2*history {
		s.past = slices.Clone(s.past[len(s.past)-history:]) // what came before is let go of
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// now is the version of the last change, and what is closed at the next.
func (s *store) now() (version uint64, changed <-chan struct{}) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version, s.changed
}

// since are the changes of a kind after a version, and the version that they lead to.
func (s *store) since(r resource, version uint64) (changes []change, now uint64, changed <-chan struct{}, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	past, err := s.after(version)
	for _, c := range past {
		if c.resource == r {
			changes = append(changes, c)
		}
	}
	return changes, s.version, s.changed, err
}

// after are all changes after a version. The caller holds s.mu.
func (s *store) after(version uint64) ([]change, error) {
	if version > s.version {
		return nil, apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, s.version), 1)
	}
	i, _ := slices.BinarySearchFunc(s.past, version+1, func(c change, v uint64) int { return cmp.Compare(c.now.version, v) })
	if i == 0 && s.version-version > uint64(len(s.past)) {
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, s.version))
	}
	return s.past[i:], nil
}

// at are all objects of a kind as they were at a version, 0 for now, sorted by namespace and name.
func (s *store) at(r resource, version uint64) (records []*record, then uint64, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	then = cmp.Or(version, s.version)
	past, err := s.after(then)
	if err != nil {
		return nil, 0, err
	}
	undone := map[types.NamespacedName]*record{} // nil: was not there
	for _, c := range slices.Backward(past) {
		if c.resource == r {
			undone[c.now.NamespacedName] = c.before
		}
	}
	for name, now := range s.shelves[r] {
		if _, other := undone[name]; !other {
			records = append(records, now)
		}
	}
	for _, before := range undone {
		if before != nil {
			records = append(records, before)
		}
	}
	slices.SortFunc(records, func(a, b *record) int { return byName(a.NamespacedName, b.NamespacedName) })
	return records, then, nil
}

// byName is the order of lists.
func byName(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// close takes what is there out of the counts.
func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r, shelf := range s.shelves {
		for name := range shelf {
			s.host.counts.objects.WithLabelValues(name.Namespace, r.Resource).Dec()
		}
	}
	s.shelves = nil
}
